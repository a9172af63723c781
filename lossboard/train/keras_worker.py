"""Entry point of a TensorFlow worker, started by Lossboard or by the user on each machine.

TF_CONFIG describes the cluster, as TensorFlow documents. All machines must share the run directory:
`TF_CONFIG=… python -m lossboard.train.keras_worker runs/2026-02-10_012`.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

from lossboard.train.distributed.worker import end_process, run_worker
from lossboard.train.runs.run_dir import RunDir


def train() -> None:
    from lossboard.train.engines import keras_engine
    from lossboard.train.runs.run_context import run_context

    run = RunDir(Path(sys.argv[1]))
    world = keras_engine.world_of_this_process()
    with run_context(run) if world.is_main else nullcontext():
        keras_engine.train(run.config(), run, resume="--resume" in sys.argv)


if __name__ == "__main__":
    end_process(run_worker(train))
