"""Starts, resumes and trains runs, in this process or in several workers."""

from __future__ import annotations

import importlib.util
import json
import os
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lossboard.errors import UsageError
from lossboard.train.config import Config
from lossboard.train.distributed.launch import launch_keras, launch_torch
from lossboard.train.distributed.world import join_world, leave_world
from lossboard.train.runs.run_context import run_context
from lossboard.train.runs.run_dir import RunDir, find_run, new_run

# The packages that an engine needs, and the extra that installs them.
_NEEDED = {
    "torch": (("torch", "transformers"), "train"),
    "tensorflow": (("tensorflow", "keras_hub"), "train-tf"),
}


@dataclass(frozen=True)
class Result:
    """A finished run: its directory, its best checkpoint, and the metrics on the full validation set."""

    run: RunDir
    metrics: dict[str, Any]

    @property
    def best(self) -> Path:
        return self.run.checkpoints / "best"


def finetune(config: Config) -> Result:
    """Creates a run and trains it. Under torchrun all workers call this, and rank 0 creates the run."""
    _refuse_missing(config.engine)
    if config.engine == "tensorflow" or _must_launch(config):
        return train_run(new_run(config), resume=False)
    world = join_world()
    run = world.broadcast(new_run(config) if world.is_main else None)
    assert run is not None
    return train_run(run, resume=False)


def resume(name: str, runs_dir: Path) -> Result:
    """Resumes a run from its last checkpoint. `name` is its id or directory; `last` is the newest unfinished run."""
    run = find_run(name, runs_dir)
    if run.finished:
        print(f"Run {run.id} is finished.")
        return _result(run)
    has_checkpoint = (run.checkpoints / "last").exists()
    if not has_checkpoint:
        print(f"Run {run.id} has no checkpoint yet, so it starts over.")
    return train_run(run, resume=has_checkpoint)


def train_run(run: RunDir, *, resume: bool) -> Result:
    """Trains a run as its config says, in this process or in several workers."""
    config = run.config()
    if _must_launch(config):
        launch_torch(run.path, workers=config.workers, resume=resume)
    elif config.engine == "tensorflow":
        _train_with_tensorflow(run, resume=resume)
    else:
        train_here(run, resume=resume)
    return _result(run)


def train_here(run: RunDir, *, resume: bool) -> None:
    """Trains with torch in this process, alone or as one of several workers."""
    from lossboard.train.engines import torch_engine

    world = join_world()
    try:
        with run_context(run) if world.is_main else nullcontext():
            torch_engine.train(run.config(), run, world=world, resume=resume)
        # Every worker reads the result that rank 0 writes.
        world.barrier()
    finally:
        leave_world(world)


def _train_with_tensorflow(run: RunDir, *, resume: bool) -> None:
    config = run.config()
    if config.workers > 1:
        launch_keras(run.path, workers=config.workers, resume=resume)
        return
    from lossboard.train.engines import keras_engine

    with run_context(run):
        keras_engine.train(config, run, resume=resume)


def _refuse_missing(engine: str) -> None:
    """Raises an error if the engine is not installed, before a run is created."""
    needed, extra = _NEEDED[engine]
    if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
        other = next(name for name in _NEEDED if name != engine)
        raise UsageError(
            f"--engine {engine} needs {' and '.join(missing)}: pip install 'lossboard[{extra}]'. "
            f"Or use --engine {other}."
        )


def _must_launch(config: Config) -> bool:
    return config.engine == "torch" and config.workers > 1 and "WORLD_SIZE" not in os.environ


def _result(run: RunDir) -> Result:
    return Result(run, json.loads((run.path / "result.json").read_text(encoding="utf-8")))
