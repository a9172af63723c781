"""Context for a training run: locks it, captures console output, records failures as findings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lossboard import SummaryWriter
from lossboard.errors import LossboardError, UsageError
from lossboard.train import findings
from lossboard.train.findings import TrainingStopped
from lossboard.train.memory.oom import describe_error, is_out_of_memory
from lossboard.train.preparation.checks import markdown_report
from lossboard.train.preparation.prepare import RefusedData
from lossboard.train.runs.run_dir import RunDir, console_log


@contextmanager
def run_context(run: RunDir) -> Iterator[None]:
    with _run_lock(run), console_log(run):
        try:
            yield
        except TrainingStopped:
            raise  # already recorded by the training loop
        except LossboardError as error:
            run.append_finding(findings.refused(str(error)))
            if isinstance(error, RefusedData):
                _record_report(run, error)
            raise
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            finding = findings.does_not_fit(run.last_saved_step(), error=describe_error(error))
            run.append_finding(finding)
            raise TrainingStopped(finding) from None  # the traceback of TensorFlow has a thousand lines
        except KeyboardInterrupt:
            record_interruption(run)
            raise


@contextmanager
def _run_lock(run: RunDir) -> Iterator[None]:
    """Locks the run. Two processes in one run would mix their points and delete each other's checkpoints."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with (run.path / ".lock").open("a+") as lock:
        try:
            # The system releases the lock when the process ends.
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise UsageError(f"Run {run.id} is already being trained by process {lock.read()}.") from error
        except OSError:
            pass  # this file system has no locks, so train without one
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def record_interruption(run: RunDir) -> None:
    """Records and prints that the run was interrupted, unless the training loop did so after its step."""
    if run.last_finding_code() == "interrupted":
        return
    finding = findings.interrupted(run.last_saved_step(), run=str(run.path))
    run.append_finding(finding)
    print(finding)


def _record_report(run: RunDir, error: RefusedData) -> None:
    with SummaryWriter(run.logs()) as writer:
        writer.add_text("data/report", markdown_report(error.data, error.findings), 0)
