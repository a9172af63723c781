"""The fine-tuning kit. Nothing heavy is imported until something is trained."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lossboard.train.config import Config

if TYPE_CHECKING:
    from lossboard.train.runner import Result

__all__ = ["Config", "finetune", "resume"]

# OpenMP reads this when torch brings it in. By default its threads spin while they wait for each other: beside a board,
# a browser and whatever else wants the cores, an update took 2.5 times as long that way, and 3 times the CPU seconds.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def finetune(config: Config | None = None, **settings: Any) -> Result:
    """Fine-tunes as the config says; settings given by name win over it."""
    from lossboard.train.runner import finetune

    return finetune((config or Config()).replace(**settings))


def resume(run: str, runs_dir: str = "runs") -> Result:
    """Goes on with an interrupted run, given by its id or folder; `last` is the newest that is not finished."""
    from pathlib import Path

    from lossboard.train.runner import resume

    return resume(run, Path(runs_dir))
