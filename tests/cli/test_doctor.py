"""`lossboard doctor`: the report, JSON, exit status, the command for findings, and --watch."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lossboard import SummaryWriter
from lossboard.cli.main import main
from lossboard.cli.text_chart import text_chart


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    with SummaryWriter(tmp_path / "runs" / "broken") as log:
        for step in range(40):
            log.add_scalar("train/loss", math.nan if step > 29 else 2 - step / 20, step)
    with SummaryWriter(tmp_path / "runs" / "fine") as log:
        for step in range(40):
            log.add_scalar("train/loss", 2 / (1 + step), step)
    return tmp_path / "runs"


def test_report_has_evidence_reason_and_advice(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(logdir)]) == 0
    text = capsys.readouterr().out
    assert text.startswith("broken\n  error non-finite  train/loss  step 30 … 39\n    train/loss became NaN at step 30")
    for part in ("┤", "▲", "Why  ", "Try  ", "2 trainings checked: 1 error."):
        assert part in text
    assert "fine\n" not in text


def test_json_has_one_object_per_line(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(logdir), "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line)["run"] == "broken"
    assert list(json.loads(line)) == [
        "run", "code", "severity", "tag", "first_step", "last_step", "what", "evidence", "why", "advice",
    ]  # fmt: skip


def test_exit_status_tells_whether_a_finding_is_as_severe(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", str(logdir), "--fail-on", "error"]) == 1
    assert main(["doctor", str(logdir), "--fail-on", "error", "--run", "^fine$"]) == 0
    assert "1 training checked: no findings." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--run", "("], "--run is not a valid regular expression"),
        (["--run", "none"], "No run matches --run none."),
    ],
)
def test_wrong_pattern_is_reported(
    arguments: list[str], message: str, logdir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", str(logdir), *arguments]) == 1
    assert message in capsys.readouterr().err


def test_command_gets_each_finding_as_json(logdir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "notify.py"
    script.write_text(f"import sys; open({str(tmp_path / 'got')!r}, 'a').write(sys.stdin.read())")
    assert main(["doctor", str(logdir), "--on-finding", f"{sys.executable} {script}"]) == 0
    assert json.loads((tmp_path / "got").read_text())["code"] == "non-finite"
    assert main(["doctor", str(logdir), "--on-finding", "no-such-command"]) == 0
    assert "--on-finding no-such-command: " in capsys.readouterr().err


def test_watch_prints_a_finding_that_comes_later_once(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as log:
        log.add_scalar("loss", 1.0, 0)
        log.flush()
        watching = [
            sys.executable,
            "-m",
            "lossboard",
            "doctor",
            str(tmp_path),
            "--watch",
            "--json",
            "--fail-on",
            "error",
        ]
        with subprocess.Popen(watching, stdout=subprocess.PIPE, text=True) as process:
            log.add_scalar("loss", math.nan, 1)
            log.flush()
            out, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert [json.loads(line)["code"] for line in out.splitlines()] == ["non-finite"]


def test_text_chart_marks_the_steps() -> None:
    steps, values = np.arange(101), np.concatenate([np.zeros(50), np.ones(51)])
    assert text_chart(steps, values, width=10, height=2, mark=(50, 100)) == [
        "1 ┤⠀⠀⠀⠀⢸⠉⠉⠉⠉⠉",
        "0 ┤⣀⣀⣀⣀⣸⠀⠀⠀⠀⠀",
        "       └────┘",
    ]
    assert text_chart(steps[:1], values[:1], width=10) == []
    assert text_chart(steps, np.full(101, np.nan), width=10) == []
    assert text_chart(steps, np.geomspace(1e-300, 1e300, 101), width=10)[0].endswith(" log")
