"""One class: every prediction is the same class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    for score in case.curves("class_score", at_least=int(limits["points"])):
        start = _constant_since(score, limits)
        if start is not None and float(score.values[-1]) == 0:
            yield _seen(
                case, score, start, f"{score.tag} is 0 since step {score.step(start):,}: a class is never predicted."
            )
            return
    accuracy = case.curve("val_accuracy", at_least=int(limits["points"]))
    loss = case.curve("val_loss", at_least=int(limits["points"]))
    if accuracy is None or (start := _constant_since(accuracy, limits)) is None:
        return
    value = float(accuracy.values[-1])
    top = 100.0 if value > 1 else 1.0
    if value > limits["highest"] * top or not _still_changes(loss, accuracy.step(start)):
        return
    yield _seen(
        case, accuracy, start,
        f"Validation accuracy is exactly {show(value)} since step {accuracy.step(start):,}, although the loss changes: "
        f"the model predicts one class.",
    )  # fmt: skip


def _seen(case: Case, curve: Curve, start: int, message: str) -> Observation:
    return observe(
        curve,
        message,
        curve.step(start),
        curve.last_step,
        beside=[case.curve("val_loss"), case.curve("train_accuracy")],
        value=float(curve.values[-1]),
        evaluations=len(curve) - start,
    )


def _constant_since(curve: Curve, limits: Limits) -> int | None:
    """Returns the index since which the value is exactly the last one, if that is most of the run."""
    other = np.flatnonzero(curve.values != curve.values[-1])
    start = int(other[-1]) + 1 if len(other) else 0
    constant = len(curve) - start
    return start if constant >= max(limits["points"], limits["share"] * len(curve)) else None


def _still_changes(loss: Curve | None, step: int) -> bool:
    if loss is None:
        return False
    since = loss.values[loss.index_at(step) :]
    return len(since) > 1 and float(np.ptp(since)) > 0


RULE = Rule(
    code="one-class",
    title="The model predicts one class",
    severity="warning",
    needs=("val_accuracy", "val_loss"),
    thresholds={
        "points": Threshold(5, "Evaluations with the same value."),
        "share": Threshold(0.5, "Part of all evaluations, counted from the end."),
        "highest": Threshold(0.98, "A constant accuracy above it is a ceiling."),
    },
    detects=(
        "A validation accuracy that is exactly the same at many evaluations while the validation loss changes, and an "
        "F1, recall or Matthews correlation of exactly 0."
    ),
    quiet="Accuracies at their ceiling, and few evaluations.",
    why="The accuracy is the share of the largest class. The model tells nothing about a single example.",
    advice=(
        "Look at the confusion matrix. Weight the loss by class or sample classes evenly if one is much more frequent, "
        "lower the learning rate, and check that the labels are shuffled together with the inputs."
    ),
    check=check,
)
