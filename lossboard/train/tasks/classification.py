"""Classification: one of several classes for each text or text pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from lossboard.errors import DataError
from lossboard.train.config import TaskName
from lossboard.train.data.batches import Ids
from lossboard.train.data.columns import Columns, GivenColumns, choose_columns
from lossboard.train.data.labels import (
    NO_LABEL,
    class_names,
    ids_by_key,
    invalid_reason,
    label_ids,
    listed_classes,
    positions,
)
from lossboard.train.data.split import Labels, Split
from lossboard.train.data.table import Table
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.data.unsupported import texts_to_generate
from lossboard.train.tasks.metrics import log_softmax, precision_recall_f1
from lossboard.train.tasks.task import Doubles, Floats, LossName, Outputs, Prediction
from lossboard.train.tasks.text_task import TextTask


@dataclass(frozen=True)
class Classification(TextTask):
    """The classes, in the order of their ids."""

    name: ClassVar[TaskName] = "classification"
    loss: ClassVar[LossName] = "cross-entropy"
    metrics: ClassVar[tuple[str, ...]] = ("accuracy", "f1", "balanced_accuracy", "mcc", "loss")
    balances_classes: ClassVar[bool] = True
    guess: ClassVar[str] = "Predicting the class frequencies alone"
    model_settings: ClassVar[Mapping[str, Any]] = {"problem_type": "single_label_classification"}

    classes: tuple[str, ...]
    labels_are_ids: bool = False  # as in a ClassLabel column of `datasets`

    @classmethod
    def fits(cls, table: Table, given: GivenColumns) -> bool:
        return True

    @classmethod
    def choose_columns(cls, table: Table, given: GivenColumns) -> Columns:
        columns = choose_columns(table, given)
        if reason := texts_to_generate(table, columns.labels[0]):
            raise DataError(reason)
        return columns

    @classmethod
    def from_table(cls, table: Table, columns: Columns, *, classes: Sequence[str] | None) -> Self:
        (label,) = columns.labels
        named = table.class_names.get(label)
        names = classes or named or class_names(table.columns[label])
        return cls(tuple(names), labels_are_ids=bool(named and not classes))

    @classmethod
    def from_classes(cls, classes: Sequence[str]) -> Self:
        return cls(tuple(classes))

    def describe(self) -> str:
        return f"{len(self.classes)} classes: {listed_classes(self.classes)}"

    def read_labels(self, table: Table, columns: Columns) -> Labels:
        ids = positions(self.classes) if self.labels_are_ids else ids_by_key(self.classes)
        return label_ids(table.columns[columns.labels[0]], ids)

    def invalid_rows(self, labels: Labels) -> Ids:
        return np.flatnonzero(labels == NO_LABEL)

    def why_invalid(self, table: Table, columns: Columns, row: int) -> str:
        return invalid_reason(table.columns[columns.labels[0]][row], names=self.classes)

    def class_counts(self, labels: Labels) -> Ids:
        return np.bincount(labels[labels != NO_LABEL], minlength=len(self.classes))

    def strata(self, labels: Labels) -> Ids:
        return labels

    def label_text(self, split: Split, row: int) -> str:
        return self.classes[int(split.labels[row])]

    def chance_loss(self, data: EncodedExamples, *, balanced: bool) -> float:
        return math.log(len(self.classes)) if balanced else entropy(data.split.labels)

    def evaluate(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> ClassificationEvaluation:
        return ClassificationEvaluation(outputs.logits, data.split.labels[rows], rows, self.classes)

    def predictions(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> Iterator[Prediction]:
        probabilities = np.exp(log_softmax(outputs.logits))
        for row in probabilities:
            best = int(row.argmax())
            yield {
                "label": self.classes[best],
                "probability": float(row[best]),
                "probabilities": dict(zip(self.classes, row.tolist(), strict=True)),
            }


def entropy(labels: Labels) -> float:
    """Returns the cross-entropy of predicting each class with its frequency."""
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    return float(-(shares * np.log(shares)).sum())


@dataclass(frozen=True)
class ClassificationEvaluation:
    """Logits and labels of a set of examples, and their metrics."""

    logits: Floats
    labels: Ids
    examples: Ids
    classes: tuple[str, ...]

    @cached_property
    def log_probabilities(self) -> Doubles:
        return log_softmax(self.logits)

    @cached_property
    def losses(self) -> Doubles:
        losses: Doubles = -self.log_probabilities[np.arange(len(self.labels)), self.labels]
        return losses

    @cached_property
    def predictions(self) -> Ids:
        predictions: Ids = np.argmax(self.logits, axis=1)
        return predictions

    @cached_property
    def counts(self) -> Ids:
        """Confusion matrix: a row for each true class, a column for each predicted class."""
        classes = self.logits.shape[1]
        return np.bincount(self.labels * classes + self.predictions, minlength=classes**2).reshape(classes, classes)

    @cached_property
    def per_class(self) -> dict[str, Doubles]:
        """Precision, recall and F1 of each class; 0 if a class never occurs."""
        return precision_recall_f1(np.diag(self.counts), self.counts.sum(axis=0), self.counts.sum(axis=1))

    def _balanced_accuracy(self) -> float:
        """Returns the mean recall of the classes that have examples."""
        return float(self.per_class["recall"][self.counts.sum(axis=1) > 0].mean())

    def _mcc(self) -> float:
        """Returns Matthews' correlation coefficient for any number of classes; 0 if only one is predicted or occurs."""
        hits, total = float(np.trace(self.counts)), float(self.counts.sum())
        predicted, actual = (self.counts.sum(axis=axis).astype(float) for axis in (0, 1))
        spread = float(np.sqrt((total**2 - predicted @ predicted) * (total**2 - actual @ actual)))
        return float(hits * total - predicted @ actual) / spread if spread else 0.0

    def _macro_f1(self) -> float:
        """Returns the mean F1 of the classes that occur."""
        occurs = (self.counts.sum(axis=0) + self.counts.sum(axis=1)) > 0
        return float(self.per_class["f1"][occurs].mean())

    def metrics(self) -> dict[str, float]:
        return {
            "accuracy": float((self.predictions == self.labels).mean()),
            "f1": self._macro_f1(),
            "balanced_accuracy": self._balanced_accuracy(),
            "mcc": self._mcc(),
            "loss": float(self.losses.mean()),
        }

    def class_metrics(self) -> dict[str, float]:
        return {
            f"{metric}/{name}": float(value)
            for metric, values in self.per_class.items()
            for name, value in zip(self.classes, values, strict=True)
        }

    def pr_curves(self) -> Iterator[tuple[str, npt.NDArray[np.bool_], npt.NDArray[Any]]]:
        probabilities = np.exp(self.log_probabilities)
        for index, name in enumerate(self.classes):
            yield name, self.labels == index, probabilities[:, index]

    def confusion(self) -> Ids:
        return self.counts

    def truths(self) -> list[str]:
        return [self.classes[label] for label in self.labels]

    def guesses(self) -> list[str]:
        return [self.classes[label] for label in self.predictions]

    def predicted(self, index: int) -> str:
        return self.classes[int(self.predictions[index])]
