"""`lossboard top` in a real pseudo terminal, and as a plain table."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.pseudo_terminal import PseudoTerminal
from lossboard.cli.main import main
from lossboard.writer import SummaryWriter
from sweep import write_run

COMMAND = [sys.executable, "-m", "lossboard", "top"]
LEFT = "\x1b[?25h\x1b[?1049l"  # the cursor is shown, and the alternate screen is left


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    logs = tmp_path / "logs"
    for number in range(20):
        values = [float(number), 5.0, float(number)]
        write_run(logs / f"run_{number:02d}", {"lr": 0.1 / (number + 1)}, loss=values, acc=[0.5])
    return logs


@pytest.fixture
def terminal(logdir: Path) -> Iterator[PseudoTerminal]:
    with PseudoTerminal([*COMMAND, str(logdir), "--sort", "run", "--interval", "0.1"]) as started:
        started.wait_for(lambda screen: len(screen) == 12 and "q quit" in screen[-1])
        yield started


def shown_runs(screen: list[str]) -> list[str]:
    return re.findall(r"run_\d\d", "\n".join(screen))


def starts_with(name: str) -> Callable[[list[str]], bool]:
    return lambda screen: shown_runs(screen)[:1] == [name]


def test_screen_has_summary_table_and_keys(terminal: PseudoTerminal) -> None:
    screen = terminal.screen
    assert screen[0] == "20 of 20 runs by run"
    assert screen[1].split() == ["run", "state", "last_step", "last(loss)", "last(acc)", "lr"]
    assert screen[2].split() == ["run_00", "finished", "2", "▁█▁", "0", "▁", "0.5", "0.1"]
    assert shown_runs(screen) == [f"run_{number:02d}" for number in range(9)]


def test_new_points_and_runs_appear(terminal: PseudoTerminal, logdir: Path) -> None:
    with SummaryWriter(logdir / "a_new_run") as writer:
        writer.add_scalar("loss", 42.5, 7)
        writer.flush()
        screen = terminal.wait_for(lambda screen: "42.5" in screen[2])
        assert screen[0] == "21 of 21 runs by run"
        assert screen[2].split()[:3] == ["a_new_run", "running", "7"]
        writer.add_scalar("loss", 43.5, 8)
        writer.flush()
        terminal.wait_for(lambda screen: "▁█" in screen[2] and "43.5" in screen[2])


def test_keys_scroll_sort_and_quit(terminal: PseudoTerminal) -> None:
    terminal.press("\x1b[B")
    terminal.wait_for(starts_with("run_01"))
    terminal.press("\x1b[6~")
    terminal.wait_for(starts_with("run_10"))
    terminal.press("G")
    terminal.wait_for(starts_with("run_11"))
    terminal.press("r")
    terminal.wait_for(starts_with("run_19"))
    terminal.press("sss")
    terminal.wait_for(lambda screen: screen[0].endswith("by last(loss)"))
    terminal.press("r")
    terminal.wait_for(lambda screen: screen[0].endswith("by last(loss) desc") and "run_19" in screen[2])
    terminal.press("q")
    assert terminal.wait_for_end() == 0
    assert LEFT in terminal.output
    assert termios.tcgetattr(terminal.slave) == terminal.settings_before


def test_filter_is_typed_corrected_and_applied(terminal: PseudoTerminal) -> None:
    terminal.press("/lr < 1e-2 and los > 15")
    terminal.wait_for(lambda screen: screen[-1] == "filter: lr < 1e-2 and los > 15_")
    terminal.press("\r")
    terminal.wait_for(lambda screen: "No run has a fact called los." in screen[-1])
    terminal.press("\x7f" * 5 + "s > 15\r")
    screen = terminal.wait_for(lambda screen: screen[0].startswith("4 of 20 runs"))
    assert shown_runs(screen) == ["run_16", "run_17", "run_18", "run_19"]
    terminal.press("/q")
    terminal.wait_for(lambda screen: screen[-1].endswith("15q_"))
    terminal.press("\x1b")
    terminal.wait_for(lambda screen: "q quit" in screen[-1])


def test_resized_terminal_is_drawn_again(terminal: PseudoTerminal) -> None:
    terminal.resize(30, 6)
    screen = terminal.wait_for(lambda screen: len(screen) == 6 and "q quit" in screen[-1])
    assert screen[1].split() == ["run", "state", "last_step"]
    assert all(len(line) <= 30 for line in screen)
    terminal.resize(8, 2)
    screen = terminal.wait_for(lambda screen: len(screen) == 2)
    assert screen == ["20 of 2…", "q quit …"]
    terminal.resize(100, 12)
    terminal.wait_for(lambda screen: len(shown_runs(screen)) == 9)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_restore_the_terminal(terminal: PseudoTerminal, number: signal.Signals, status: int) -> None:
    if number == signal.SIGINT:
        terminal.press("\x03")  # as a person does it
    else:
        os.kill(terminal.process.pid, number)
    assert terminal.wait_for_end() == status
    assert LEFT in terminal.output
    assert "Traceback" not in terminal.output
    assert termios.tcgetattr(terminal.slave) == terminal.settings_before


def test_idle_screen_writes_nothing(terminal: PseudoTerminal, logdir: Path) -> None:
    before = len(terminal.output)
    write_run(logdir / "zzz", loss=[1.0])  # below the end of the screen: only the summary changes
    terminal.wait_for(lambda screen: screen[0].startswith("21 of 21"))
    assert terminal.output.count("\x1b[K", before) == 1


def test_output_that_is_not_a_terminal_gets_one_table(logdir: Path) -> None:
    done = subprocess.run(
        [*COMMAND, str(logdir), "lr > 0.04", "--columns", "run, loss", "--sort", "loss"],
        stdin=subprocess.DEVNULL, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.stdout.decode().splitlines() == ["run      loss", "run_00  ▁█▁ 0", "run_01  ▁█▁ 1"]


def test_invalid_option_is_reported_before_the_screen(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", str(logdir), "--sort", "los"]) == 1
    assert "No run has a fact called los." in capsys.readouterr().err


def test_logdir_without_runs_has_a_table(tmp_path: Path) -> None:
    with PseudoTerminal([*COMMAND, str(tmp_path)]) as started:
        screen = started.wait_for(lambda screen: len(screen) == 12)
        assert screen[0] == "0 of 0 runs by start desc"
        started.press("sr/\x1b")
        started.press("q")
        assert started.wait_for_end() == 0
