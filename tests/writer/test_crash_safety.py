"""Crash safety: logged records survive any end of the process. Processes, forks and threads can log together."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lossboard import SummaryWriter
from lossboard.store.logdir import Logdir
from lossboard.store.run import Run
from writer.read_events import event_files, scalars

FORK_AND_KILL = Path(__file__).with_name("fork_and_kill.py")


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a program in which `writer` logs into `folder`."""
    setup = f"import os, sys, signal\nfrom lossboard import SummaryWriter\nwriter = SummaryWriter({str(folder)!r})\n"
    command = [sys.executable, "-c", setup + textwrap.dedent(program)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240)


def assert_kill_9_loses_nothing(folder: Path, rate: int, kills: int) -> None:
    command = [sys.executable, str(FORK_AND_KILL), str(folder), str(kills), str(rate), "7"]
    returned = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=240).stdout)
    assert min(returned) >= 10
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    for n, count in enumerate(returned):
        run = logdir.runs[str(n)]
        points = run.column("x")
        # A record whose call had not returned may follow. It may be incomplete.
        assert count <= len(points) <= count + 1
        assert (points.steps == points.values).all()
        assert run.health.records == 0


KILLS = pytest.mark.parametrize(("rate", "kills"), [(10, 40), (100, 60), (0, 100)], ids=["10/s", "100/s", "full speed"])


@KILLS
def test_kill_9_loses_nothing(tmp_path: Path, rate: int, kills: int) -> None:
    assert_kill_9_loses_nothing(tmp_path, rate, kills)


@KILLS
@pytest.mark.tensorflow
def test_kill_9_loses_nothing_with_tensorflow(tmp_path: Path, rate: int, kills: int) -> None:
    assert importlib.util.find_spec("tensorflow")
    assert_kill_9_loses_nothing(tmp_path, rate, kills)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        ("os.kill(os.getpid(), signal.SIGTERM)", -15),
        ("os._exit(3)", 3),
        ("raise RuntimeError('training failed')", 1),
        ("sys.exit(0)", 0),
        ("pass", 0),
        ("os.abort()", -6),
    ],
)
def test_program_end_loses_nothing(tmp_path: Path, end: str, code: int) -> None:
    program = f"for step in range(1000): writer.add_scalar('x', step, step)\n{end}"
    done = run(program, tmp_path)
    assert done.returncode == code
    assert "lossboard" not in done.stderr.lower().replace("from lossboard", "")
    assert scalars(tmp_path)["x"] == [(step, step) for step in range(1000)]


def test_forked_child_writes_its_own_file(tmp_path: Path) -> None:
    program = """
        for step in range(100): writer.add_scalar("parent", step, step)
        pid = os.fork()
        who = "parent" if pid else "child"
        for step in range(100, 200): writer.add_scalar(who, step, step)
        if pid:
            sys.exit(os.waitpid(pid, 0)[1])
    """
    done = run(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    found = scalars(tmp_path)
    assert found["parent"] == [(step, step) for step in range(200)]
    assert found["child"] == [(step, step) for step in range(100, 200)]
    assert len(event_files(tmp_path)) == 2


def test_fork_while_another_thread_writes_does_not_hang(tmp_path: Path) -> None:
    program = """
        import threading
        big = "x" * 4_000_000
        stop = threading.Event()
        def log():
            while not stop.is_set(): writer.add_text("big", big, 0)
        thread = threading.Thread(target=log)
        thread.start()
        pids = []
        for n in range(20):
            pid = os.fork()
            if not pid:
                writer.add_scalar("child", n, n)
                os._exit(0)
            pids.append(pid)
        stop.set(); thread.join()
        assert [os.waitpid(pid, 0)[1] for pid in pids] == [0] * 20
    """
    done = run(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(scalars(tmp_path)["child"]) == [(n, n) for n in range(20)]


def test_64_processes_can_log_to_one_directory(tmp_path: Path) -> None:
    program = f"""
        def log(rank):
            with SummaryWriter({str(tmp_path)!r}) as own:
                for step in range(2000): own.add_scalar(f"rank{{rank}}", step, step)
        for rank in range(64):
            if not os.fork():
                log(rank)
                os._exit(0)
        assert [os.wait()[1] for _ in range(64)] == [0] * 64
    """
    done = run(program, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    found = scalars(tmp_path)
    assert len(found) == 64
    assert all(points == [(step, step) for step in range(2000)] for points in found.values())


def run_threads(work: Callable[[Any], None], arguments: Iterable[Any]) -> None:
    """Calls `work` in one thread per argument, and waits for all."""
    threads = [threading.Thread(target=work, args=(argument,)) for argument in arguments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_threads_can_share_a_writer(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)

    def log(name: str) -> None:
        for step in range(2000):
            writer.add_scalar(name, step, step)
            if step % 100 == 0:
                writer.add_text(f"{name}/text", "y" * 100_000, step)

    run_threads(log, [f"thread{n}" for n in range(8)])
    writer.close()
    found = scalars(tmp_path)
    assert [found[f"thread{n}"] for n in range(8)] == [[(step, step) for step in range(2000)]] * 8


class Slow:
    """A value that lets other threads run while it is converted, as a tensor on a GPU does."""

    def __init__(self, value: float) -> None:
        self.value = value

    def numpy(self) -> np.ndarray:
        time.sleep(0)
        return np.array(self.value)


def test_threads_do_not_mix_slow_values(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)

    def log(n: int) -> None:
        for step in range(300):
            writer.add_scalars_dict({f"{n}/{i}": Slow(n + i / 8) for i in range(5)}, Slow(step))

    run_threads(log, range(6))
    writer.close()
    found = scalars(tmp_path)
    assert len(found) == 30
    for tag, points in found.items():
        n, i = map(int, tag.split("/"))
        assert points == [(step, n + i / 8) for step in range(300)]


def test_file_names_sort_in_order_of_creation(tmp_path: Path) -> None:
    writers = [SummaryWriter(tmp_path, filename_suffix=".mine") for _ in range(25)]
    for step, writer in enumerate(writers):
        writer.add_scalar("x", step, step)
        writer.close()
    assert scalars(tmp_path)["x"] == [(step, step) for step in range(25)]
    host, pid = os.uname().nodename, os.getpid()
    for path in event_files(tmp_path):
        assert path.name.startswith("events.out.tfevents.") and path.name.endswith(".mine")
        assert f".{host}.{pid}." in path.name


def test_logging_after_close_starts_a_new_file(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    writer.add_scalar("x", 1, 1)
    writer.close()
    writer.add_scalar("x", 2, 2)
    writer.close()
    writer.close()
    assert scalars(tmp_path)["x"] == [(1, 1), (2, 2)]
    assert len(event_files(tmp_path)) == 2


def read(folder: Path) -> Run:
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    return logdir.runs["."]


def test_close_marks_the_run_finished_until_it_logs_again(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    for step in range(3):
        writer.add_scalar("x", step, step)
        assert not read(tmp_path).is_finished
        writer.close()
        assert read(tmp_path).is_finished


@pytest.mark.parametrize(
    ("end", "finished"),
    [
        ("pass", True),
        ("sys.exit(3)", True),
        ("raise RuntimeError('training failed')", False),
        ("with writer: raise SystemExit('training failed')", False),
        ("os._exit(0)", False),
    ],
)
def test_run_is_finished_unless_an_exception_ends_the_program(tmp_path: Path, end: str, finished: bool) -> None:
    run(f"writer.add_scalar('x', 1, 1)\n{end}", tmp_path)
    assert read(tmp_path).is_finished == finished


def test_closing_an_unused_writer_creates_no_second_file(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    writer.close()
    writer.close()
    assert len(event_files(tmp_path)) == 1


@pytest.mark.parametrize(
    ("end", "ended"),
    [("pass", True), ("sys.exit(3)", True), ("os.kill(os.getpid(), signal.SIGKILL)", False), ("os._exit(0)", False)],
)
def test_run_is_finished_when_its_program_exits(tmp_path: Path, end: str, ended: bool) -> None:
    run(f"writer.add_scalar('x', 1, 1)\n{end}", tmp_path)
    assert read(tmp_path).is_finished == ended


def test_forked_child_does_not_finish_the_run(tmp_path: Path) -> None:
    program = """
        writer.add_scalar("x", 1, 1)
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
            os._exit(0)
    """
    run(program, tmp_path)
    assert not read(tmp_path).is_finished


def test_logging_imports_no_framework(tmp_path: Path) -> None:
    program = """
        writer.add_scalar("x", 1.0, 1)
        writer.add_histogram("h", [1, 2, 3], 1)
        heavy = {"torch", "tensorflow", "tensorboard", "google.protobuf", "jax", "matplotlib", "pandas"}
        assert not heavy & set(sys.modules)
    """
    done = run(program, tmp_path)
    assert done.returncode == 0, done.stderr
