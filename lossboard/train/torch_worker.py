"""Entry point of a torch worker, started by `distributed/launch.py`."""

from __future__ import annotations

import sys
from pathlib import Path

from lossboard.train.distributed.worker import end_process, run_worker
from lossboard.train.runner import train_here
from lossboard.train.runs.run_dir import RunDir

if __name__ == "__main__":
    end_process(run_worker(lambda: train_here(RunDir(Path(sys.argv[1])), resume="--resume" in sys.argv[2:])))
