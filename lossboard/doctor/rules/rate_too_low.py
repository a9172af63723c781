"""Learning rate too low: the loss falls steadily, hardly at all, no slower at the end than at the beginning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.curve import Values
from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    training = case.curve("train_loss", at_least=int(limits["points"]))
    if training is None or training.step(0) > training.last_step // 2:
        return
    if not _is_constant(case) or not _gradients_stay(case, limits):
        return
    # Validation always has the same examples, so its noise hides less.
    curve = case.curve("val_loss", at_least=int(limits["evaluations"])) or training
    values = curve.values
    half = len(values) // 2
    first, second = _slope(values[:half]), _slope(values[half:])
    level = abs(float(values[: half // 5 + 1].mean()))
    fall = -(first + second) / 2 * len(values)
    if not 0 < fall < limits["fall"] * level:
        return
    if second > -limits["significance"] * _slope_error(values[half:]) or second > limits["steady"] * first:
        return
    rate = case.curve("learning_rate")
    yield observe(
        curve,
        f"{curve.tag} only fell from {show(curve.start)} to {show(float(values[-1]))}, no slower at the end than "
        "at the beginning." + (f" The rate is {show(rate.median)}." if rate else ""),
        curve.step(0),
        curve.last_step,
        beside=[training, rate, case.curve("gradient_norm")],
        fall=fall / level,
        slope_at_end=second / first if first else 1.0,
    )


def _is_constant(case: Case) -> bool:
    """Whether the rate is not scheduled, or not known."""
    rate = case.curve("learning_rate", at_least=2)
    return rate is None or float(rate.values.min()) > 0.5 * float(rate.values.max())


def _gradients_stay(case: Case, limits: Limits) -> bool:
    gradients = case.curve("gradient_norm", at_least=10)
    if gradients is None:
        return True
    tenth = max(3, len(gradients) // 10)
    early, late = float(np.median(gradients.values[:tenth])), float(np.median(gradients.values[-tenth:]))
    return early > 0 and late > limits["gradients"] * early


def _slope(values: Values) -> float:
    at = np.arange(len(values)) - (len(values) - 1) / 2
    return float(at @ values / (at @ at))


def _slope_error(values: Values) -> float:
    at = np.arange(len(values)) - (len(values) - 1) / 2
    rest = values - values.mean() - _slope(values) * at
    return float(np.sqrt(rest @ rest / max(len(values) - 2, 1) / (at @ at)))


RULE = Rule(
    code="rate-too-low",
    title="The learning rate is too low",
    severity="warning",
    needs=("train_loss",),
    thresholds={
        "points": Threshold(60, "Fewer points do not show that the slope stays."),
        "evaluations": Threshold(10, "With fewer validation losses, the training loss is judged."),
        "fall": Threshold(0.25, "The loss fell by less, in parts of its start."),
        "significance": Threshold(4, "Standard errors by which the slope of the second half differs from 0."),
        "steady": Threshold(0.6, "Slope of the second half in parts of the first. Learning usually slows down."),
        "gradients": Threshold(0.6, "Gradient norm at the end in parts of that at the beginning: as much to learn."),
    },
    detects=(
        "A loss that falls along a straight line, by little, at a constant rate. If the gradient norm is logged, it "
        "must be as large at the end as at the beginning."
    ),
    quiet="Schedules that change the rate, curves that flatten, and runs whose noise hides the slope.",
    why="There is much left to learn in the direction of each step, and the steps are too small to get there.",
    advice="Try rates 3, 10 and 30 times as high for a few hundred steps each, and take the highest that is stable.",
    check=check,
)
