"""Entry point of a torch worker: `python -m lossboard.train.torch_worker runs/2026-02-10_012` under torchrun."""

from __future__ import annotations

import sys
from pathlib import Path

from lossboard.errors import LossboardError
from lossboard.train.runner import train_here
from lossboard.train.runs.run_dir import RunDir

if __name__ == "__main__":
    try:
        train_here(RunDir(Path(sys.argv[1])), resume="--resume" in sys.argv[2:])
    except LossboardError as error:
        sys.exit(f"lossboard: {error}")
