"""A worker process: ends with the process that started it, and reports its error there.

`launch.py` is the other side. A worker that the user started, for example with TF_CONFIG on several machines, has
neither a parent to watch nor an error file, and prints its error itself.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NoReturn

from lossboard.errors import LossboardError

# Environment variables that `launch.py` sets.
PARENT_FD = "LOSSBOARD_PARENT_FD"
ERROR_FILE = "LOSSBOARD_ERROR_FILE"
# Time for a checkpoint after the parent has ended.
GRACE_SECS = 30.0


@dataclass(frozen=True)
class WorkerError:
    """The error that ended a worker. An expected one has a message for the user; any other has a traceback."""

    message: str
    is_expected: bool
    time: float

    @classmethod
    def read(cls, file: Path) -> WorkerError:
        return cls(**json.loads(file.read_text(encoding="utf-8")))

    def write(self, file: Path) -> None:
        part = file.with_name(f"{file.name}.part")
        part.write_text(json.dumps(asdict(self)), encoding="utf-8")
        part.replace(file)


def run_worker(train: Callable[[], None]) -> int:
    """Calls `train` in a worker process and returns its exit status."""
    if PARENT_FD in os.environ:
        threading.Thread(target=_end_with_parent, args=(int(os.environ[PARENT_FD]),), daemon=True).start()
    try:
        train()
    except KeyboardInterrupt:
        return 130
    except LossboardError as error:
        _report(str(error), is_expected=True)
        return 1
    except Exception as error:
        if ERROR_FILE not in os.environ or os.environ.get("RANK") != "0":
            traceback.print_exc()  # the one of rank 0 is in the console log, and does not belong in the terminal
        _report(f"{type(error).__name__}: {str(error).strip()[:500].rstrip('.')}", is_expected=False)
        return 1
    return 0


def end_process(status: int) -> NoReturn:
    """Ends a worker without Python's finalization. Call it when the run is complete and its files are closed.

    Threads between workers outlive training: those of a TensorFlow cluster keep the process from ending. Those of torch
    live on with FSDP, because DTensor's caches hold the process group. If one of them asks for the GIL during the
    finalization, it aborts the process, and a finished training would exit with an error.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _report(message: str, *, is_expected: bool) -> None:
    if ERROR_FILE in os.environ:
        WorkerError(message, is_expected, time.time()).write(Path(os.environ[ERROR_FILE]))
    else:
        print(f"lossboard: {message}", file=sys.stderr)


def _end_with_parent(parent_fd: int) -> None:
    """Waits until the parent has ended, which closes its end of the pipe, and stops this process."""
    os.read(parent_fd, 1)
    os.kill(os.getpid(), signal.SIGTERM)  # stops training after its step, with a checkpoint
    time.sleep(GRACE_SECS)
    os._exit(1)
