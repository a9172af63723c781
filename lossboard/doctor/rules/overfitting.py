"""Overfitting: the validation loss rises while the training loss falls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    validation = case.curve("val_loss", at_least=int(limits["points"]))
    training = case.curve("train_loss", at_least=int(limits["points"]))
    if validation is None or training is None:
        return
    at = _best_index(validation)
    best, end = float(validation.values[at]), validation.end
    rise = end - best
    if rise < limits["rise"] * max(float(validation.values[0]) - best, limits["relative"] * abs(best)):
        return
    if rise < limits["relative"] * abs(best) or rise < limits["noise"] * _noise(validation, at):
        return
    if not _falls_after(training, validation.step(at)):
        return
    accuracy = case.curve("val_accuracy")
    improves = accuracy is not None and len(accuracy) > 4 and accuracy.end >= float(accuracy.values.max()) - 0.002
    yield observe(
        validation,
        f"Validation loss was best at step {validation.step(at):,} ({show(best)}) and has risen to {show(end)}, while "
        f"training loss went on falling." + (" Accuracy has not fallen, so only confidence grew." if improves else ""),
        validation.step(at),
        validation.last_step,
        beside=[training],
        severity="note" if improves else None,
        best_step=validation.step(at),
        best=best,
        end=end,
        rise=rise / max(float(validation.values[0]) - best, 1e-12) if validation.values[0] > best else "all",
        training_loss=training.end,
    )


def _best_index(curve: Curve) -> int:
    """Returns the index of the lowest value of a mean of three."""
    values = curve.values
    if len(values) < 8:
        return int(values.argmin())
    smooth = (values[:-2] + values[1:-1] + values[2:]) / 3
    return int(smooth.argmin()) + 1


def _noise(curve: Curve, best: int) -> float:
    """Standard deviation of what is left of the points after the best one without their trend."""
    after = curve.values[best:]
    if len(after) < 4:
        return curve.noise
    bends = after[2:] - 2 * after[1:-1] + after[:-2]
    return 1.4826 * float(np.median(np.abs(bends))) / math.sqrt(6)


def _falls_after(training: Curve, step: int) -> bool:
    at = training.index_at(step)
    width = max(3, len(training) // 20)
    around = training.values[max(0, at - width) : at + width + 1]
    if not len(around):
        return False
    return training.end <= float(np.median(around)) + 0.5 * training.block_noise


RULE = Rule(
    code="overfitting",
    title="Overfitting",
    severity="warning",
    needs=("train_loss", "val_loss"),
    thresholds={
        "points": Threshold(5, "Evaluations that show a trend."),
        "rise": Threshold(0.15, "Rise since the best evaluation, in parts of the fall before it."),
        "relative": Threshold(0.05, "Rise in parts of the best validation loss."),
        "noise": Threshold(4, "Standard deviations of the validation loss."),
    },
    detects=(
        "A validation loss that ends clearly above its best, while the training loss is not higher than at that "
        "step. If the accuracy is still the best, it is a note: the model only grows more confident."
    ),
    quiet="Grokking, in which the validation loss falls again in the end, and a best step a few evaluations ago.",
    why="Since the best step the model has learned the training examples by heart, and is worse on new ones.",
    advice=(
        "Use the checkpoint of the best step, and stop there next time (early stopping). More data, augmentation, "
        "dropout, weight decay or a smaller model move that point further."
    ),
    check=check,
)
