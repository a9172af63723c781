"""Starts, resumes and trains runs, in this process or in several workers."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from lossboard.errors import LossboardError, UsageError
from lossboard.train import findings
from lossboard.train.config import Config
from lossboard.train.distributed.launch import WorkerFailed, launch_keras, launch_torch
from lossboard.train.distributed.world import (
    World,
    is_connection_error,
    is_main_process,
    is_under_torchrun,
    join_world,
    leave_world,
)
from lossboard.train.findings import TrainingStopped
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.models.own_parts import check_own_part
from lossboard.train.preparation.prepare import check_settings
from lossboard.train.runs.run_context import record_interruption, run_context
from lossboard.train.runs.run_dir import RunDir, extend_run, find_run, new_run
from lossboard.train.runs.signals import GracefulStop
from lossboard.train.tasks.metrics import format_metric

T = TypeVar("T")

# The packages that an engine needs, and the extra that installs them.
_NEEDED = {
    "torch": (("torch", "transformers"), "train"),
    "tensorflow": (("tensorflow", "keras_hub"), "train-tf"),
}


@dataclass(frozen=True)
class Result:
    """A finished run: its directory, its best checkpoint, and the metrics on the full validation set.

    `metrics` are those of the best checkpoint, and `metrics["last"]` those of the last step.
    """

    run: RunDir
    metrics: dict[str, Any]

    @property
    def best(self) -> Path:
        return self.run.checkpoints / "best"

    def __str__(self) -> str:
        best, last = self.metrics, self.metrics.get("last", self.metrics)
        name = best.get("metric", "accuracy")  # older runs do not say it
        line = f"best checkpoint: {self.best}, step {best['best_step']}, {format_metric(name, best[name])}"
        if best["step"] == best["best_step"]:
            return line
        return f"{line} (last step {best['step']}: {format_metric(name, last[name])})"


def finetune(config: Config, hooks: Hooks = NO_HOOKS) -> Result:
    """Creates a run and trains it. Under torchrun all workers call this, and rank 0 creates the run."""
    _refuse_missing(config.engine)
    _check_hooks(config, hooks)
    return train_run(_on_main(lambda: create_run(config, hooks), engine=config.engine), resume=False, hooks=hooks)


def create_run(config: Config, hooks: Hooks = NO_HOOKS) -> RunDir:
    """Creates a run. Settings with an error leave no run behind."""
    config.inputs()
    check_settings(config, hooks)
    return new_run(config, own_part=hooks.own_part)


def resume(name: str, runs_dir: Path, hooks: Hooks = NO_HOOKS, **longer: int) -> Result:
    """Resumes a run from its last checkpoint. `name` is its id or directory; `last` is the newest unfinished run.

    `longer` may have more `epochs` or `max_steps`, which also extends a finished run.
    """
    run = find_run(name, runs_dir)
    _check_hooks(run.config(), hooks)
    call = f"lossboard.train.resume({run.id!r}, hooks=Hooks({run.own_part()}=…))"
    check_own_part(hooks, run.own_part(), where=run.id, call=call)
    if longer:
        _on_main(lambda: extend_run(run, longer), engine=run.config().engine)
    if run.finished:
        if is_main_process():
            print(f"Run {run.id} is finished.")
        return _result(run)
    has_checkpoint = (run.checkpoints / "last").exists()
    if not has_checkpoint and is_main_process():
        print(f"Run {run.id} has no checkpoint yet, so it starts over.")
    return train_run(run, resume=has_checkpoint, hooks=hooks)


def _check_hooks(config: Config, hooks: Hooks) -> None:
    hooks.check(workers=config.workers)
    if hooks.own_part and is_under_torchrun():
        raise UsageError("Workers would start with different weights of an own head or model. Start without torchrun.")


def train_run(run: RunDir, *, resume: bool, hooks: Hooks = NO_HOOKS) -> Result:
    """Trains a run as its config says, in this process or in several workers."""
    config = run.config()
    if config.workers > 1 and (config.engine == "tensorflow" or not is_under_torchrun()):
        _train_in_workers(run, launch_keras if config.engine == "tensorflow" else launch_torch, resume=resume)
    elif config.engine == "tensorflow":
        from lossboard.train.engines import keras_engine

        with run_context(run):
            keras_engine.train(config, run, resume=resume, hooks=hooks)
    else:
        train_here(run, resume=resume, hooks=hooks)
    return _result(run)


def _train_in_workers(run: RunDir, launch: Callable[..., None], *, resume: bool) -> None:
    """Starts the workers and waits for them. Records why they ended, if no worker has done so."""
    with GracefulStop() as stop:
        try:
            workers = run.config().workers
            launch(run.path, workers=workers, resume=resume, stop_requested=lambda: stop.requested)
        except KeyboardInterrupt:
            record_interruption(run)
            raise
        except WorkerFailed as error:
            if error.is_recorded:
                raise
            finding = findings.worker_failed(run.last_saved_step(), error=str(error), run=str(run.path))
            run.append_finding(finding)
            raise TrainingStopped(finding) from error


def train_here(run: RunDir, *, resume: bool, hooks: Hooks = NO_HOOKS) -> None:
    """Trains with torch in this process, alone or as one of several workers."""
    from lossboard.train.engines import torch_engine

    world = join_world()
    with _shared_failure(world):
        with run_context(run) if world.is_main else nullcontext(), _lost_worker_recorded(run, world):
            torch_engine.train(run.config(), run, world=world, resume=resume, hooks=hooks)
        # Every worker reads the result that rank 0 writes.
        world.barrier()
    leave_world(world)


@contextmanager
def _shared_failure(world: World) -> Iterator[None]:
    """Ends the process group after an error that all workers have. Only rank 0 raises it, so it is printed once."""
    try:
        yield
    except BaseException as error:
        leave_world(world)
        if world.is_main or not isinstance(error, LossboardError):
            raise
        sys.exit(1)


@contextmanager
def _lost_worker_recorded(run: RunDir, world: World) -> Iterator[None]:
    """Under torchrun, records that another worker has ended. Workers that Lossboard starts leave this to it."""
    try:
        yield
    except RuntimeError as error:
        if not (is_under_torchrun() and is_connection_error(error)):
            raise
        lost = f"The connection to another worker was lost: {str(error).strip()}"
        finding = findings.worker_failed(run.last_saved_step(), error=lost, run=str(run.path))
        if world.is_main:
            run.append_finding(finding)
        raise TrainingStopped(finding) from error


def _on_main(action: Callable[[], T], *, engine: str) -> T:
    """Returns the result of `action`. Under torchrun, only rank 0 calls it, and all workers get its result."""
    if engine == "tensorflow" or not is_under_torchrun():
        return action()
    world = join_world()
    with _shared_failure(world):
        return world.call_on_main(action)


def _refuse_missing(engine: str) -> None:
    """Raises an error if the engine is not installed, before a run is created."""
    needed, extra = _NEEDED[engine]
    if missing := [name for name in needed if importlib.util.find_spec(name) is None]:
        other = next(name for name in _NEEDED if name != engine)
        raise UsageError(
            f"--engine {engine} needs {' and '.join(missing)}: pip install 'lossboard[{extra}]'. "
            f"Or use --engine {other}."
        )


def _result(run: RunDir) -> Result:
    return Result(run, json.loads((run.path / "result.json").read_text(encoding="utf-8")))
