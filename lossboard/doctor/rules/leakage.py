"""Leakage: validation is much better than training, which points to leaked labels or a fault in the metric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    train, validation = case.curve("train_loss", at_least=10), case.curve("val_loss", at_least=int(limits["points"]))
    if train is None or validation is None:
        return
    late_train, late_validation = _late(train), _late(validation)
    ratio = late_validation / late_train if late_train > 0 and late_validation >= 0 else 1.0
    train_error, error = (
        _error(case.curve("train_accuracy", at_least=10)),
        _error(case.curve("val_accuracy", at_least=5)),
    )
    by_error = (
        train_error is not None and error is not None
        and train_error > limits["train_error"] and error < limits["error_ratio"] * train_error
    )  # fmt: skip
    # A tiny training loss says nothing: then both are done.
    by_loss = ratio < limits["loss_ratio"] and late_train > limits["learned"] * train.start
    if not (by_loss and (error is None or train_error is None or by_error or ratio < limits["loss_ratio"] / 4)):
        return
    yield observe(
        validation,
        f"Validation loss is {show(late_validation)} where training loss is {show(late_train)}: "
        f"{1 / max(ratio, 1e-9):,.0f} times better than on the examples that the model is trained on.",
        validation.step(0),
        validation.last_step,
        beside=[train, case.curve("val_accuracy")],
        validation_loss=late_validation,
        training_loss=late_train,
        loss_ratio=ratio,
        also={"validation_error": error, "training_error": train_error} if error is not None and train_error else {},
    )


def _late(curve: Curve) -> float:
    return float(curve.values[len(curve) // 2 :].mean())


def _error(accuracy: Curve | None) -> float | None:
    if accuracy is None:
        return None
    late = _late(accuracy)
    return 1 - (late / 100 if late > 1.5 else late)


RULE = Rule(
    code="leakage",
    title="Validation is suspiciously better than training",
    severity="warning",
    needs=("train_loss", "val_loss"),
    thresholds={
        "points": Threshold(5, "Evaluations that show it."),
        "loss_ratio": Threshold(0.2, "Validation loss in parts of the training loss. Dropout alone stays above 0.4."),
        "error_ratio": Threshold(0.25, "Validation error in parts of the training error, if accuracies are logged."),
        "train_error": Threshold(0.05, "Training error below which both are at their ceiling."),
        "learned": Threshold(0.02, "Training loss in parts of its start below which both are learned."),
    },
    detects="A validation loss below a fifth of the training loss, and an error rate below a quarter if it is logged.",
    quiet="Dropout, augmentation and label smoothing, which make validation somewhat better than training.",
    why="Such a validation says nothing about new examples: labels have leaked into it, or the metric is wrong.",
    advice=(
        "Look for validation examples among the training examples, and for inputs that contain the label. Check that "
        "the loss is averaged over the right number of examples, and evaluate the training set with the same code."
    ),
    check=check,
)
