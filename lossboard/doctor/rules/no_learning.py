"""No learning: the training loss does not fall, or stays at that of guessing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.curve import Values, median
from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("train_loss", at_least=int(limits["points"]))
    if curve is None or _was_resumed(curve) or _accuracy_is_good(case, limits, curve.median):
        return
    # What the first steps change is the scale of the outputs, not what the model knows.
    settled = curve.values[len(curve) // 10 :]
    third = len(settled) // 3
    early, late = median(settled[:third]), median(settled[-third:])
    error = 1.25 * max(_deviation(settled), 1e-12 * abs(early)) * math.sqrt(2 / third)
    scale = max(abs(curve.start), abs(early))
    fall, first_fall = early - late, median(curve.values[: max(3, len(curve) // 40)]) - early
    if abs(fall) > limits["significance"] * error or abs(fall) > limits["fall"] * scale + 2 * error:
        return
    if first_fall > limits["first_fall"] * scale + limits["significance"] * error or _validation_fell(case):
        return
    if early - curve.best > limits["learned"] * scale + limits["significance"] * error:
        return
    guessing = _classes_of_guessing(late)
    at_chance = f" That is the loss of guessing among {guessing} classes." if guessing else ""
    yield observe(
        curve,
        f"The loss has not fallen in {len(curve):,} points: it began at {show(early)} and is {show(late)}.{at_chance}",
        curve.step(0),
        curve.last_step,
        beside=[case.curve("gradient_norm"), case.curve("train_accuracy")],
        start=curve.start,
        end=late,
        fall=fall / scale if scale else 0.0,
    )


def _deviation(values: Values) -> float:
    """Standard deviation without outliers."""
    return 1.4826 * median(np.abs(values - median(values)))


def _was_resumed(curve: Curve) -> bool:
    """Whether the run continues another one. It may have learned everything before."""
    return curve.step(0) > (curve.last_step - curve.step(0)) // 2


def _validation_fell(case: Case) -> bool:
    """Whether the validation has come far down, although the training loss is flat from its first logged point."""
    validation = case.curve("val_loss", at_least=4)
    return validation is not None and validation.end < 0.7 * float(validation.values[0])


def _beats_guessing(accuracy: float, loss: float) -> bool:
    """Whether an accuracy is too high for a guess. Among K classes, guessing has the loss ln K."""
    return accuracy > 0.5 and 0.05 < loss < 12 and accuracy > 1.25 * math.exp(-loss)


def _accuracy_is_good(case: Case, limits: Limits, loss: float) -> bool:
    """Whether an accuracy is high, or has grown: then the model knows something."""
    for role in ("train_accuracy", "val_accuracy"):
        if accuracy := case.curve(role, at_least=3):
            top = 100.0 if float(accuracy.values.max()) > 1.5 else 1.0
            if accuracy.median > limits["accuracy"] * top:
                return True
            if _beats_guessing(accuracy.median / top, loss):
                return True
            first = median(accuracy.values[: max(1, len(accuracy) // 10)])
            if accuracy.end - first > 0.1 * top:
                return True
    return False


def _classes_of_guessing(loss: float) -> int | None:
    """Returns K if the loss is ln K, which a uniform guess among K classes has."""
    if not 0.6 < loss < 12:
        return None
    classes = round(math.exp(loss))
    return classes if abs(loss - math.log(classes)) < 0.01 * loss else None


RULE = Rule(
    code="no-learning",
    title="The model does not learn",
    severity="warning",
    needs=("train_loss",),
    thresholds={
        "points": Threshold(30, "Fewer points do not tell a slow fall from none."),
        "significance": Threshold(4, "Standard errors between the first and the last third: a fall is real above it."),
        "fall": Threshold(0.03, "A fall by less, in parts of the loss, is none."),
        "first_fall": Threshold(0.1, "Fall of the first steps, which only scale the outputs, in parts of the loss."),
        "learned": Threshold(0.3, "A loss that was lower by this part at some time has been learned, and lost again."),
        "accuracy": Threshold(0.9, "A model with such an accuracy has learned all there is."),
    },
    detects=(
        "A training loss that is at the end about what it was at the beginning. If it is the loss of guessing, the "
        "finding says among how many classes."
    ),
    quiet=(
        "Runs that continue others, models with a high accuracy, slow falls that the noise does not hide, very short "
        "runs, reinforcement learning and GANs."
    ),
    why="The model predicts no better than at the beginning, so more steps will not help.",
    advice=(
        "Train on one batch until its loss is 0: if that fails, the fault is in the code. Check that the optimizer has "
        "the model's parameters, that labels fit the inputs after shuffling, that outputs are not detached, and try "
        "learning rates ten times higher and lower."
    ),
    check=check,
)
