"""Clipping that is always on: the logged gradient norm is the clipping limit at nearly every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("gradient_norm", at_least=int(limits["points"]))
    if curve is None:
        return
    limit = curve.median
    if limit <= 0:
        return
    clipped = np.abs(curve.values - limit) <= limits["tolerance"] * limit
    share = float(clipped.mean())
    if share < limits["share"] or float(np.quantile(curve.values, 0.99)) > limit * (1 + limits["tolerance"]):
        return
    yield observe(
        curve,
        f"{share:.0%} of the gradient norms are {show(limit)}: every step is clipped.",
        curve.step(0),
        curve.last_step,
        beside=[case.curve("train_loss")],
        limit=limit,
        share=share,
    )


RULE = Rule(
    code="always-clipped",
    title="Gradient clipping is always on",
    severity="note",
    needs=("gradient_norm",),
    thresholds={
        "points": Threshold(20, "Fewer norms may be equal by chance."),
        "share": Threshold(0.9, "Part of the steps with the same norm."),
        "tolerance": Threshold(
            0.002, "Norms that differ by less are equal: frameworks add a small number when they clip."
        ),
    },
    detects="Gradient norms after clipping that are the same at nine of ten steps.",
    quiet="Norms logged before clipping, as Hugging Face does: whether they are above a limit is no fault by itself.",
    why="All steps have the same length, whatever the gradient is. The limit then acts as a learning rate.",
    advice="Raise the limit until one in ten steps is clipped, and lower the learning rate if that is unstable.",
    check=check,
)
