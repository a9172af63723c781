"""How many examples go through the model at once: as asked, or as many as the plan says there is memory for.

On a CPU this must be known before the first update. A container's limit raises no error that one could catch: it kills.
"""

from __future__ import annotations

import dataclasses
import math
import sys

from lossboard.train import findings
from lossboard.train.architecture import read_architecture
from lossboard.train.checkpoint import Progress
from lossboard.train.config import Config
from lossboard.train.device import cpu_memory
from lossboard.train.log import TrainLog
from lossboard.train.plan import LIBRARIES_BYTES, Setup, largest_micro_batch
from lossboard.train.prepare import Prepared


def first_micro_batch(config: Config, *, replicas: int) -> int:
    return config.micro_batch_size or math.ceil(config.batch_size / replicas)


def make_fit(config: Config, prepared: Prepared, progress: Progress, log: TrainLog) -> None:
    """Takes a smaller micro-batch where the one that was not asked for would not fit, and says so."""
    if config.micro_batch_size or sys.platform != "linux":
        return  # as asked; or nothing is known
    wanted, memory = progress.micro_batch, cpu_memory()
    # The libraries are here already, so what they take is no longer among what is free.
    free_bytes = memory.free_bytes // log.world.size + LIBRARIES_BYTES
    if largest_micro_batch(_setup(config, prepared), free_bytes) >= wanted:
        return
    # In pieces the gradients stay, so there is less room for each.
    pieces = dataclasses.replace(_setup(config, prepared), accumulation=2)
    progress.micro_batch = max(1, min(wanted, largest_micro_batch(pieces, free_bytes)))
    free = f"{memory.free_bytes / 2**20:.0f} MB ({memory.limited_by})"
    log.finding(findings.planned(progress.step, wanted=wanted, micro_batch=progress.micro_batch, free=free))


def _setup(config: Config, prepared: Prepared) -> Setup:
    sizes = read_architecture(prepared.checkpoint)
    if config.dropout is not None:
        sizes = dataclasses.replace(sizes, dropout=config.dropout, attention_dropout=config.dropout)
    return Setup(
        architecture=sizes,
        micro_batch=1,
        length=max(prepared.train.lengths),
        precision=config.precision,
        checkpointing=config.gradient_checkpointing,
        frozen_layers=config.frozen_layers,
        classes=len(prepared.classes),
    )
