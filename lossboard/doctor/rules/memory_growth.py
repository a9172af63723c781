"""Memory growth: the memory of the process or of the GPU grows all the time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    for curve in case.curves("memory", at_least=int(limits["points"])):
        blocks = curve.blocks
        third = len(blocks) // 3
        first, second, last = (float(np.median(part)) for part in np.array_split(blocks, 3))
        growth = float(blocks[-1] - blocks[0])
        rises = float((np.diff(blocks) > 0).mean())
        steady = last - second > limits["steady"] * (second - first) > 0
        if growth < limits["growth"] * abs(float(blocks[0])) or not steady or rises < limits["rising"] or third < 3:
            continue
        yield observe(
            curve,
            f"Memory grew from {show(float(blocks[0]))} to {show(float(blocks[-1]))} and does not stop growing."
            + _forecast(curve, growth),
            curve.step(0),
            curve.last_step,
            growth=growth / abs(float(blocks[0])),
            first=float(blocks[0]),
            last=float(blocks[-1]),
        )


def _forecast(curve: Curve, growth: float) -> str:
    """Returns when a percentage reaches 100. The limit of other units is not known."""
    if "percent" not in curve.tag or growth <= 0:
        return ""
    left = (100 - float(curve.blocks[-1])) / growth * (curve.last_step - curve.step(0))
    return f" At this pace it is full at step {int(curve.last_step + left):,}." if left > 0 else ""


RULE = Rule(
    code="memory-growth",
    title="Memory grows all the time",
    severity="warning",
    needs=("memory",),
    thresholds={
        "points": Threshold(30, "Memory grows at the beginning of every run."),
        "growth": Threshold(0.15, "Growth in parts of the first value."),
        "steady": Threshold(0.6, "Growth of the last third in parts of that of the middle one: it does not slow down."),
        "rising": Threshold(0.6, "Part of the run in which memory rises."),
    },
    detects="Memory that grows through the whole run and as fast at the end as before. A percentage gets a forecast.",
    quiet="Growth that levels off, as caches and allocators have it, and single steps.",
    why="Something is kept that is no longer needed. When the memory is full, the process is killed without a message.",
    advice=(
        "Log loss.item() in place of the tensor loss, which keeps the graph of its step. Clear lists of outputs after "
        "each evaluation. tracemalloc, or torch.cuda.memory_snapshot, shows what is kept."
    ),
    check=check,
)
