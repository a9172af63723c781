"""The launcher with small programs as workers: they end together, and the user sees the first error once."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lossboard.train.distributed.launch import WorkerFailed, run_workers

WAIT_FOREVER = "import signal; signal.pause()"


def run(folder: Path, *programs: str) -> None:
    """Runs one worker for each program."""
    for rank, program in enumerate(programs):
        (folder / f"{rank}.py").write_text(program)
    starter = "import os, runpy, sys; runpy.run_path(f'{sys.argv[1]}/' + os.environ['RANK'] + '.py')"
    run_workers(
        [sys.executable, "-c", starter, str(folder)], folder, [{}] * len(programs), stop_requested=lambda: False
    )


def failing(statement: str) -> str:
    return f"""
import sys
from lossboard.errors import LossboardError
from lossboard.train.distributed.worker import run_worker
def train():
    {statement}
sys.exit(run_worker(train))
"""


def test_workers_that_succeed_raise_nothing(tmp_path):
    run(tmp_path, "", "print('from the second worker')")
    assert (tmp_path / "workers" / "1.log").read_text() == "from the second worker\n"


@pytest.mark.parametrize(
    ("first", "second", "message", "is_recorded"),
    [
        ("raise LossboardError('no such file')", "", "no such file", True),
        ("", "raise LossboardError('no such file')", "Worker 1: no such file", False),
        ("", "raise ValueError('two shapes')", "Worker 1 failed: ValueError: two shapes. The traceback is in", False),
        ("raise ValueError('two shapes')", "", "Worker 0 failed: ValueError: two shapes. The traceback is in", False),
        ("", "import os; os._exit(7)", "Worker 1 exited with status 7. Its output is in", False),
        ("", "import os; os.kill(os.getpid(), 9)", "Worker 1 was ended by SIGKILL. This often means", False),
    ],
)
def test_failure_is_described(tmp_path, capfd, first, second, message, is_recorded):
    with pytest.raises(WorkerFailed) as caught:
        run(tmp_path, failing(first or "pass"), failing(second or "pass"))
    assert str(caught.value).startswith(message)
    assert caught.value.is_recorded == is_recorded
    assert capfd.readouterr() == ("", ""), "the caller prints the error"


LOST_ITS_PEER = """
    import os, time
    from pathlib import Path
    while not Path(os.environ["LOSSBOARD_ERROR_FILE"]).with_name("1").exists():
        time.sleep(0.01)
    raise RuntimeError("connection closed by peer")
"""


def test_first_of_two_errors_is_reported(tmp_path):
    with pytest.raises(WorkerFailed, match="Worker 1 failed: ValueError: the cause"):
        run(tmp_path, failing(LOST_ITS_PEER), failing("raise ValueError('the cause')"))


def test_worker_that_waits_for_a_failed_one_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr("lossboard.train.distributed.launch.GRACE_SECS", 0.1)
    with pytest.raises(WorkerFailed, match="Worker 1: no such file"):
        run(tmp_path, WAIT_FOREVER, failing("raise LossboardError('no such file')"))


PARENT = """
import sys
from pathlib import Path
from lossboard.train.distributed.launch import run_workers
from lossboard.train.runs.signals import GracefulStop
folder = Path(sys.argv[1])
with GracefulStop() as stop:
    run_workers([sys.executable, folder / "worker.py", folder], folder, [{}] * 2, stop_requested=lambda: stop.requested)
"""
WORKER = """
import os, signal, sys
from pathlib import Path
from lossboard.train.distributed.worker import run_worker
from lossboard.train.runs.signals import GracefulStop
def train():
    with GracefulStop() as stop:
        Path(sys.argv[1], os.environ["RANK"]).write_text(str(os.getpid()))
        while not stop.requested:
            signal.sigtimedwait([], 0.02)
        Path(sys.argv[1], os.environ["RANK"]).unlink()
        raise KeyboardInterrupt
sys.exit(run_worker(train))
"""


def until(condition) -> None:
    """Waits for a condition. The timeout of the test ends a wait that is in vain."""
    while not condition():
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def parent(tmp_path):
    """A process with two workers that run until they get a signal."""
    (tmp_path / "worker.py").write_text(WORKER)
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path], start_new_session=True, stderr=subprocess.PIPE, text=True
    )
    until(lambda: all((tmp_path / rank).exists() and (tmp_path / rank).read_text() for rank in "01"))
    yield process
    process.kill()
    process.wait()
    process.stderr.close()


@pytest.mark.parametrize("to", ["the process group, as Ctrl-C does", "the parent"])
def test_signal_stops_all_workers_gracefully(tmp_path, parent, to):
    os.kill(parent.pid, signal.SIGTERM) if to == "the parent" else os.killpg(parent.pid, signal.SIGINT)
    _, errors = parent.communicate()
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    assert not (tmp_path / "0").exists() and not (tmp_path / "1").exists(), "each worker finished its work"
    assert (tmp_path / "workers" / "1.log").read_text() == ""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_end_with_a_killed_parent(tmp_path, parent):
    pids = [int((tmp_path / rank).read_text()) for rank in "01"]
    parent.kill()
    for pid in pids:
        until(lambda pid=pid: not is_running(pid))
    assert not (tmp_path / "0").exists() and not (tmp_path / "1").exists(), "each worker finished its work"
