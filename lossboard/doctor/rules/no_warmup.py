"""Missing warm-up: the rate is at its maximum from the first step, and the loss or gradients burst before they fall."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.curve import early_burst
from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("train_loss", at_least=int(limits["points"]))
    rate = case.curve("learning_rate", at_least=2)
    if curve is None or rate is None or curve.step(0) > 0.1 * curve.last_step:
        return
    if float(rate.values[0]) < limits["rate"] * float(rate.values.max()):
        return
    early = max(4, len(curve) // 8)
    start = float(curve.values[0])
    peak = int(curve.values[:early].argmax())
    rise = float(curve.values[peak]) - start
    gradients = case.curve("gradient_norm", at_least=20)
    burst = early_burst(gradients, len(gradients) // 8) if gradients else 0.0
    if (
        curve.end - start > limits["recovered"] * rise
        or rise < limits["rise"] * abs(start)
        or rise < limits["noise"] * _noise(curve, early)
    ):
        return
    if gradients is not None and burst < limits["burst"]:
        return
    yield observe(
        curve,
        f"The rate was at its maximum of {show(float(rate.values[0]))} from the first step, and the loss rose from "
        f"{show(start)} to {show(float(curve.values[peak]))} at step {curve.step(peak):,} before it fell.",
        curve.step(0),
        curve.step(min(early, len(curve) - 1)),
        beside=[rate, gradients],
        start=start,
        peak=float(curve.values[peak]),
        also={"gradient_burst": burst} if gradients else {},
    )


def _noise(curve: Curve, early: int) -> float:
    later = curve.values[early:]
    return 1.4826 * float(np.median(np.abs(later - np.median(later))))


RULE = Rule(
    code="no-warmup",
    title="The learning rate has no warm-up and needs one",
    severity="warning",
    needs=("train_loss", "learning_rate"),
    thresholds={
        "points": Threshold(30, "The burst must be told from noise."),
        "rate": Threshold(0.9, "First rate in parts of the highest: above it, there is no warm-up."),
        "rise": Threshold(0.25, "Rise of the loss above its first value, in parts of it."),
        "recovered": Threshold(0.4, "Part of the rise that may be left at the end."),
        "noise": Threshold(3, "Standard deviations of the later loss."),
        "burst": Threshold(3, "Highest early gradient norm in parts of the later median, if it is logged."),
    },
    detects="A rate that begins at its maximum, and a loss that rises well above its first value before it falls.",
    quiet="Runs without a warm-up whose loss falls from the beginning, and runs that continue others.",
    why=(
        "The first steps are the largest, before the optimizer knows the scale of the gradients. They destroy what a "
        "pretrained model knows, and a model from scratch takes long to recover."
    ),
    advice="Let the rate rise from 0 over the first 5 to 10 % of the steps.",
    check=check,
)
