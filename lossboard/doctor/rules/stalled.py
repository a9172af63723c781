"""Stall: training paused for much longer than usual between two points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.restarts import find_restarts
from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("train_loss", at_least=int(limits["points"]))
    if curve is None:
        return
    gaps = np.diff(curve.wall_times)
    at = int(gaps.argmax())
    usual = float(np.quantile(gaps, 0.95))
    gap = float(gaps[at])
    if gap < limits["seconds"] or gap < limits["times"] * max(usual, 1e-3) or (gaps > gap / 4).sum() > 3:
        return
    first = curve.step(at)
    if any(abs(restart.step - curve.step(at + 1)) <= 1 for restart in find_restarts(case, case.roles["train_loss"][0])):
        return
    yield observe(
        curve,
        f"Nothing was logged for {_duration(gap)} after step {first:,}. The usual time between two points is at most "
        f"{_duration(usual)}.",
        first,
        curve.step(at + 1),
        seconds=gap,
        usual_seconds=usual,
    )


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


RULE = Rule(
    code="stalled",
    title="Training stalled",
    severity="note",
    needs=("train_loss",),
    thresholds={
        "points": Threshold(20, "The usual time between points must be known."),
        "seconds": Threshold(600, "Shorter pauses come from evaluations and checkpoints."),
        "times": Threshold(50, "Times the time that 95 % of the points take."),
    },
    detects="One pause within a run that is at least ten minutes and 50 times the usual time between points.",
    quiet="Evaluations, which come again and again, and the time between two processes of a restart.",
    why="The machine was suspended, a disk or the network did not answer, or another process had the GPU.",
    advice=(
        "Look at the console output and the system log (dmesg) at that time. A timeout for collective operations "
        "(NCCL, gloo) turns a hanging worker into an error message."
    ),
    check=check,
)
