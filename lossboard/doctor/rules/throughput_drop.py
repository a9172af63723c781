"""Throughput drop: training becomes slower in the middle and stays so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("throughput", at_least=int(limits["points"]))
    if curve is None:
        return
    blocks = curve.blocks
    usual = float(np.median(blocks[: max(3, len(blocks) // 4)]))
    slow = blocks < limits["ratio"] * usual
    fast = np.flatnonzero(~slow)
    start = int(fast[-1]) + 1 if len(fast) else 0
    if usual <= 0 or not len(fast) or len(blocks) - start < max(3, limits["lasting"] * len(blocks)):
        return
    first, now = start * curve.block_size, float(np.median(blocks[start:]))
    yield observe(
        curve,
        f"Throughput fell from {show(usual)} to {show(now)} at step {curve.step(first):,} and has stayed there.",
        curve.step(first),
        curve.last_step,
        beside=[case.curve("memory"), case.curve("data_time")],
        before=usual,
        now=now,
        ratio=now / usual,
    )


RULE = Rule(
    code="throughput-drop",
    title="Training became slower",
    severity="warning",
    needs=("throughput",),
    thresholds={
        "points": Threshold(20, "The usual throughput must be known."),
        "ratio": Threshold(0.7, "Throughput in parts of what it was."),
        "lasting": Threshold(0.1, "Part of the run for which it has been slower."),
    },
    detects="A throughput that falls to less than 70 % of what it was, and stays there until the end.",
    quiet="Slow first steps, pauses for evaluations and checkpoints, and dips that recover.",
    why="The rest of the training takes longer than planned, often because another process shares the machine.",
    advice=(
        "Look at what else runs on the machine (nvidia-smi, top), at the GPU's temperature and clock, at "
        "swapped memory, and at the time spent waiting for data."
    ),
    check=check,
)
