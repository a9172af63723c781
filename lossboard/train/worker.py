"""One worker of a run that `workers.launch` started: `python -m lossboard.train.worker runs/2026-02-10_012`."""

from __future__ import annotations

import sys
from pathlib import Path

from lossboard.errors import LossboardError
from lossboard.train.runs import RunFolder
from lossboard.train.start import train_here

if __name__ == "__main__":
    try:
        train_here(RunFolder(Path(sys.argv[1])), resume="--resume" in sys.argv[2:])
    except LossboardError as error:
        sys.exit(f"lossboard: {error}")
