"""Micro-batch size: the configured one, or the largest that the memory plan allows.

On CPU it must be known before the first step. Exceeding a container's memory limit kills the process, and no exception
can be caught.
"""

from __future__ import annotations

import dataclasses
import math
import sys

from lossboard.findings import Finding
from lossboard.train import findings
from lossboard.train.config import Config
from lossboard.train.memory.device import cpu_memory
from lossboard.train.memory.plan import Setup, largest_micro_batch, libraries_bytes
from lossboard.train.models.architecture import read_architecture
from lossboard.train.models.heads import HEADS
from lossboard.train.preparation.prepare import PreparedData


def initial_micro_batch(config: Config, *, replicas: int) -> int:
    """Returns the configured micro-batch size, or one replica's share of the whole batch."""
    return config.micro_batch_size or math.ceil(config.batch_size / replicas)


def fit_micro_batch(
    config: Config, prepared: PreparedData, wanted: int, *, step: int, workers: int
) -> tuple[int, Finding | None]:
    """Returns the largest micro-batch up to `wanted` that fits, and a finding if it is smaller.

    A configured micro-batch size is never changed.
    """
    if config.micro_batch_size or sys.platform != "linux":
        return wanted, None
    memory, setup = cpu_memory(), _setup(config, prepared, workers=workers)
    # The libraries are loaded already, so their memory is no longer part of the free memory.
    free_bytes = memory.free_bytes // workers + libraries_bytes(config.engine)
    if largest_micro_batch(setup, free_bytes) >= wanted:
        return wanted, None
    # With gradient accumulation the gradients stay in memory, which leaves less for each micro-batch.
    accumulating = dataclasses.replace(setup, accumulation=2)
    micro_batch = max(1, min(wanted, largest_micro_batch(accumulating, free_bytes)))
    free = f"{memory.free_bytes / 2**20:.0f} MB ({memory.limited_by})"
    return micro_batch, findings.planned(step, wanted=wanted, micro_batch=micro_batch, free=free)


def _setup(config: Config, prepared: PreparedData, *, workers: int) -> Setup:
    sizes = read_architecture(prepared.checkpoint)
    if config.dropout is not None:
        sizes = dataclasses.replace(sizes, dropout=config.dropout, attention_dropout=config.dropout)
    return Setup(
        architecture=sizes,
        micro_batch=1,
        length=int(prepared.train.lengths.max()),
        precision=config.precision,
        optimizer=config.optimizer,
        checkpointing=config.gradient_checkpointing,
        frozen_layers=config.frozen_layers,
        lora_rank=config.lora_rank,
        classes=len(prepared.task.classes),
        every_token=HEADS[prepared.task.head].reads_every_token,
        engine=config.engine,
        workers=workers,
        sharding=config.sharding,
    )
