"""Logs while each write in turn fails, then reads back. Run by test_io_errors.py with the shim preloaded.

inject_io_errors.py SHIM FOLDER
"""

from __future__ import annotations

import ctypes
import errno
import itertools
import logging
import sys
from pathlib import Path

from lossboard import SummaryWriter
from lossboard.store.logdir import Logdir

POINTS = 12
ERRORS = [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.ESTALE]


def check(folder: Path) -> None:
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    run = logdir.runs["."]
    assert (run.health.records, run.health.bytes) == (0, 0), "whole records only"
    # After ESTALE a record may be in two files. The board shows it once.
    assert run.column("x").steps.tolist() == list(range(POINTS)), folder.name


def main(shim: str, root: Path) -> None:
    logging.disable()
    arm = ctypes.CDLL(shim).arm
    arm.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_int, ctypes.c_long]
    tried = 0
    for code, at, times, part in itertools.product(ERRORS, range(1, POINTS + 1), (1, 3), (0, 7)):
        run = root / f"{code}-{at}-{times}-{part}"
        writer = SummaryWriter(run)
        arm(at, times, code, part)
        for step in range(POINTS):
            writer.add_scalar("x", step, step)
        arm(0, 0, 0, 0)
        writer.close()
        check(run)
        tried += 1
    print(tried)


main(sys.argv[1], Path(sys.argv[2]))
