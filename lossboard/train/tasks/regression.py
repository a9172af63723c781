"""Regression: one number for each text or text pair, such as a rating or a similarity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from lossboard.errors import UsageError
from lossboard.train.config import TaskName
from lossboard.train.data.batches import Ids
from lossboard.train.data.column_names import LABELS
from lossboard.train.data.columns import Columns, GivenColumns, choose_columns, first_named
from lossboard.train.data.labels import label_numbers, not_a_number
from lossboard.train.data.split import Labels, Split
from lossboard.train.data.table import Table
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.tasks.task import Doubles, LossName, Outputs, Prediction
from lossboard.train.tasks.text_task import TextTask

# Names of numbers in common datasets.
NUMBERS = ("score", "rating", "stars", "similarity", "similarity_score", "relatedness_score")
SAMPLE_ROWS = 1000
# Shares of the labels in a column of numbers: those that are numbers, and those of them that are not whole.
MIN_NUMBERS, MIN_FRACTIONS = 0.9, 0.1
# A held-out set has the same share of low and of high labels.
STRATA = 10


@dataclass(frozen=True)
class Regression(TextTask):
    """The name of the number, and its range in the training data, if it is known."""

    name: ClassVar[TaskName] = "regression"
    loss: ClassVar[LossName] = "squared-error"
    metrics: ClassVar[tuple[str, ...]] = ("pearson", "spearman", "rmse", "mae", "loss")
    balances_classes: ClassVar[bool] = False
    guess: ClassVar[str] = "Predicting the mean of the labels"
    model_settings: ClassVar[Mapping[str, Any]] = {"problem_type": "regression"}

    classes: tuple[str, ...]
    limits: tuple[float, float] | None = field(default=None, compare=False)

    @classmethod
    def fits(cls, table: Table, given: GivenColumns) -> bool:
        label = _label_column(table, given)
        return label is not None and _has_fractions(table.columns[label])

    @classmethod
    def choose_columns(cls, table: Table, given: GivenColumns) -> Columns:
        return choose_columns(table, GivenColumns(given.text, given.pair, _label_column(table, given)))

    @classmethod
    def from_table(cls, table: Table, columns: Columns, *, classes: Sequence[str] | None) -> Self:
        (label,) = columns.labels
        if classes:
            raise UsageError(
                f"--classes names classes, but the column {label!r} has numbers. "
                "Remove it, or set --task classification."
            )
        numbers = label_numbers(table.columns[label])
        valid = numbers[np.isfinite(numbers)]
        return cls((label,), (float(valid.min()), float(valid.max())) if len(valid) else None)

    @classmethod
    def from_classes(cls, classes: Sequence[str]) -> Self:
        return cls(tuple(classes))

    def describe(self) -> str:
        limits = "" if self.limits is None else f" from {self.limits[0]:g} to {self.limits[1]:g}"
        return f"regression: a number{limits}"

    def read_labels(self, table: Table, columns: Columns) -> Labels:
        return label_numbers(table.columns[columns.labels[0]])

    def invalid_rows(self, labels: Labels) -> Ids:
        return np.flatnonzero(~np.isfinite(labels))

    def why_invalid(self, table: Table, columns: Columns, row: int) -> str:
        return not_a_number(table.columns[columns.labels[0]][row])

    def class_counts(self, labels: Labels) -> None:
        return None

    def strata(self, labels: Labels) -> Ids:
        valid = labels[np.isfinite(labels)]
        edges = np.unique(np.quantile(valid, np.linspace(0, 1, STRATA + 1)[1:-1])) if len(valid) else valid
        return np.searchsorted(edges, labels, side="right")

    def label_text(self, split: Split, row: int) -> str:
        return f"{split.labels[row]:g}"

    def chance_loss(self, data: EncodedExamples, *, balanced: bool) -> float:
        return float(np.var(data.split.labels))

    def evaluate(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> RegressionEvaluation:
        return RegressionEvaluation(outputs.logits[:, 0].astype(np.float64), data.split.labels[rows], rows)

    def predictions(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> Iterator[Prediction]:
        return ({"value": float(value)} for value in outputs.logits[:, 0])


def _label_column(table: Table, given: GivenColumns) -> str | None:
    """Returns the column with the numbers: the given one, one with a common name, or the only one with fractions."""
    if given.label is not None:
        return given.label if given.label in table.columns else None
    free = [name for name in table.columns if name not in (given.text, given.pair)]
    if named := first_named(free, (*LABELS, *NUMBERS)):
        return named
    numeric = [name for name in free if _has_fractions(table.columns[name])]
    return numeric[0] if len(numeric) == 1 else None


def _has_fractions(values: Sequence[Any]) -> bool:
    """Returns whether a column has numbers, and not only whole ones, which may be the ids of classes."""
    sample = [value for value in values[:SAMPLE_ROWS] if value is not None and value != ""]
    numbers = label_numbers(sample)
    numbers = numbers[np.isfinite(numbers)]
    return (
        len(numbers) > 0
        and len(numbers) >= MIN_NUMBERS * len(sample)
        and float((numbers % 1 != 0).mean()) >= MIN_FRACTIONS
    )


@dataclass(frozen=True)
class RegressionEvaluation:
    """Predicted and true numbers of a set of examples, and their metrics."""

    values: Doubles
    labels: Doubles
    examples: Ids

    @cached_property
    def losses(self) -> Doubles:
        return np.square(self.values - self.labels)

    def metrics(self) -> dict[str, float]:
        return {
            "pearson": correlation(self.values, self.labels),
            "spearman": correlation(ranks(self.values), ranks(self.labels)),
            "rmse": float(np.sqrt(self.losses.mean())),
            "mae": float(np.abs(self.values - self.labels).mean()),
            "loss": float(self.losses.mean()),
        }

    def class_metrics(self) -> dict[str, float]:
        return {}

    def pr_curves(self) -> Iterator[tuple[str, npt.NDArray[np.bool_], npt.NDArray[Any]]]:
        return iter(())

    def confusion(self) -> None:
        return None

    def truths(self) -> Doubles:
        return self.labels

    def guesses(self) -> Doubles:
        return self.values

    def predicted(self, index: int) -> str:
        return f"{self.values[index]:.4g}"


def correlation(a: Doubles, b: Doubles) -> float:
    """Returns Pearson's correlation; 0 if either is constant."""
    a, b = a - a.mean(), b - b.mean()
    spread = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / spread if spread else 0.0


def ranks(values: Doubles) -> Doubles:
    """Returns the rank of each value. Equal values share the mean of their ranks."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    means: Doubles = ends - (sizes - 1) / 2
    return means[group]
