"""Multi-label classification: any number of classes for each text or text pair, each decided on its own.

Labels are lists of classes in one column, or 0 and 1 in a column for each class. With --task multi-label, a text such
as `drama|comedy` is a list too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from lossboard.train.config import TaskName
from lossboard.train.data import presence
from lossboard.train.data.batches import Ids
from lossboard.train.data.column_names import LABELS
from lossboard.train.data.columns import Columns, GivenColumns, choose_columns, first_named
from lossboard.train.data.labels import class_names, ids_by_key, label_key, listed_classes, positions, unknown_class
from lossboard.train.data.split import Labels, Split
from lossboard.train.data.table import Table
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.tasks.metrics import precision_recall_f1
from lossboard.train.tasks.task import Doubles, Floats, LossName, Outputs, Prediction
from lossboard.train.tasks.text_task import TextTask

LISTS = ("labels", "tags", "topics", "genres", "categories", "emotions")
SAMPLE_ROWS = 1000
# Separators of a list in one text, in the order in which they are tried.
SEPARATORS = "|;,"


@dataclass(frozen=True)
class MultiLabel(TextTask):
    """The classes, in the order of their ids."""

    name: ClassVar[TaskName] = "multi-label"
    loss: ClassVar[LossName] = "binary-cross-entropy"
    metrics: ClassVar[tuple[str, ...]] = ("f1", "micro_f1", "exact_match", "loss")
    balances_classes: ClassVar[bool] = False
    guess: ClassVar[str] = "Predicting the class frequencies alone"
    model_settings: ClassVar[Mapping[str, Any]] = {"problem_type": "multi_label_classification"}

    classes: tuple[str, ...]
    labels_are_ids: bool = False  # as in a column of lists of ClassLabel of `datasets`

    @classmethod
    def fits(cls, table: Table, given: GivenColumns) -> bool:
        labels = _label_columns(table, given)
        return len(labels) > 1 or (len(labels) == 1 and _has_lists(table.columns[labels[0]]))

    @classmethod
    def choose_columns(cls, table: Table, given: GivenColumns) -> Columns:
        labels = _label_columns(table, given)
        chosen = choose_columns(table, GivenColumns(given.text, given.pair, labels[0] if labels else given.label))
        return Columns(chosen.text, chosen.pair, labels or chosen.labels)

    @classmethod
    def from_table(cls, table: Table, columns: Columns, *, classes: Sequence[str] | None) -> Self:
        if len(columns.labels) > 1:
            return cls(columns.labels)
        (label,) = columns.labels
        named = table.class_names.get(label)
        names = classes or named or class_names(each for row in _lists(table.columns[label]) for each in row or ())
        return cls(tuple(names), labels_are_ids=bool(named and not classes))

    @classmethod
    def from_classes(cls, classes: Sequence[str]) -> Self:
        return cls(tuple(classes))

    def describe(self) -> str:
        return f"multi-label, {len(self.classes)} classes: {listed_classes(self.classes)}"

    def read_labels(self, table: Table, columns: Columns) -> Labels:
        if len(columns.labels) > 1:
            flags = [[_flag(value) for value in table.columns[name]] for name in columns.labels]
            return np.array(flags, np.int8).T.copy()
        ids = positions(self.classes) if self.labels_are_ids else ids_by_key(self.classes)
        labels = np.zeros((len(table), len(self.classes)), np.int8)
        for row, names in enumerate(_lists(table.columns[columns.labels[0]])):
            keys = [label_key(name) for name in names] if names is not None else [None]
            if all(key in ids for key in keys):
                labels[row, [ids[key] for key in keys if key is not None]] = 1
            else:
                labels[row] = presence.INVALID
        return labels

    def invalid_rows(self, labels: Labels) -> Ids:
        return presence.invalid_rows(labels)

    def why_invalid(self, table: Table, columns: Columns, row: int) -> str:
        if len(columns.labels) > 1:
            return "not 0 or 1 in each of the label columns"
        (names,) = _lists(table.columns[columns.labels[0]][row : row + 1])
        return "no list of labels" if names is None else f"a label is {unknown_class(self.classes)}"

    def class_counts(self, labels: Labels) -> Ids:
        return presence.class_counts(labels)

    def strata(self, labels: Labels) -> Ids:
        return presence.rarest_class(labels)

    def label_text(self, split: Split, row: int) -> str:
        return self.listed(split.labels[row] == 1)

    def listed(self, chosen: npt.NDArray[np.bool_]) -> str:
        """Returns some of the classes as text."""
        return ", ".join(self.classes[i] for i in np.flatnonzero(chosen)) or "no class"

    def chance_loss(self, data: EncodedExamples, *, balanced: bool) -> float:
        shares = np.clip(data.split.labels.mean(axis=0, dtype=np.float64), 1e-12, 1 - 1e-12)
        return float(-(shares * np.log(shares) + (1 - shares) * np.log1p(-shares)).mean())

    def evaluate(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> MultiLabelEvaluation:
        return MultiLabelEvaluation(outputs.logits, data.split.labels[rows] == 1, rows, self)

    def predictions(self, outputs: Outputs, data: EncodedExamples, rows: Ids) -> Iterator[Prediction]:
        for logits, probabilities in zip(outputs.logits, sigmoid(outputs.logits), strict=True):
            yield {
                "labels": [self.classes[i] for i in np.flatnonzero(logits > 0)],
                "probabilities": dict(zip(self.classes, probabilities.tolist(), strict=True)),
            }


# ---- columns --------------------------------------------------------------------------------------------------------


def _label_columns(table: Table, given: GivenColumns) -> tuple[str, ...]:
    """Returns the label columns: those that are given, one with lists, or several with 0 and 1."""
    if given.label is not None:
        names = tuple(name.strip() for name in given.label.split(","))
        several = given.label not in table.columns and all(name in table.columns for name in names)
        return names if several else (given.label,) if given.label in table.columns else ()
    free = [name for name in table.columns if name not in (given.text, given.pair)]
    if named := first_named(free, (*LABELS, *LISTS)):
        return (named,)
    lists = [name for name in free if _has_lists(table.columns[name])]
    if len(lists) == 1:
        return (lists[0],)
    flags = tuple(name for name in free if _has_flags(table.columns[name]))
    return flags if len(flags) > 1 else ()


def _has_lists(values: Sequence[Any]) -> bool:
    """Returns whether a column has lists of names or numbers."""
    sample = [value for value in values[:SAMPLE_ROWS] if value is not None]
    return bool(sample) and all(isinstance(value, list) and not _is_nested(value) for value in sample)


def _is_nested(values: Iterable[Any]) -> bool:
    return any(isinstance(value, (list, dict)) for value in values)


def _has_flags(values: Sequence[Any]) -> bool:
    sample = values[:SAMPLE_ROWS]
    return bool(sample) and all(_flag(value) != presence.INVALID for value in sample)


def _flag(value: Any) -> int:
    key = label_key(value)
    return key if isinstance(key, int) and key in (0, 1) else presence.INVALID


def _lists(values: Sequence[Any]) -> Iterator[list[Any] | None]:
    """Yields the labels of each row; None if they are no list."""
    sample = " ".join(value for value in values[:SAMPLE_ROWS] if isinstance(value, str))
    separator = next((mark for mark in SEPARATORS if mark in sample), None)
    for value in values:
        if isinstance(value, str):
            parts = value.split(separator) if separator else [value]
            yield [part.strip() for part in parts if part.strip()]
        elif isinstance(value, list):
            yield None if _is_nested(value) else value
        else:
            yield None if value is None or isinstance(value, dict) else [value]


# ---- evaluation -----------------------------------------------------------------------------------------------------


def sigmoid(logits: Floats) -> Doubles:
    """Returns the probability of each class."""
    probabilities: Doubles = 1 / (1 + np.exp(-np.clip(logits.astype(np.float64), -700, 700)))
    return probabilities


@dataclass(frozen=True)
class MultiLabelEvaluation:
    """Logits and true classes of a set of examples, and their metrics."""

    logits: Floats
    labels: npt.NDArray[np.bool_]
    examples: Ids
    task: MultiLabel

    @cached_property
    def predictions(self) -> npt.NDArray[np.bool_]:
        """Whether each class is predicted: with a probability above a half."""
        return self.logits > 0

    @cached_property
    def losses(self) -> Doubles:
        logits = self.logits.astype(np.float64)
        losses: Doubles = np.logaddexp(0, np.where(self.labels, -logits, logits)).mean(axis=1)
        return losses

    @cached_property
    def counts(self) -> tuple[Ids, Ids, Ids]:
        """The number of examples of each class: rightly predicted, predicted, and labeled."""
        hits = self.predictions & self.labels
        return hits.sum(axis=0), self.predictions.sum(axis=0), self.labels.sum(axis=0)

    def metrics(self) -> dict[str, float]:
        occurs = (self.counts[1] + self.counts[2]) > 0
        f1 = precision_recall_f1(*self.counts)["f1"][occurs]
        totals = [np.asarray([counts.sum()]) for counts in self.counts]
        return {
            "f1": float(f1.mean()) if len(f1) else 0.0,
            "micro_f1": float(precision_recall_f1(*totals)["f1"][0]),
            "exact_match": float((self.predictions == self.labels).all(axis=1).mean()),
            "loss": float(self.losses.mean()),
        }

    def class_metrics(self) -> dict[str, float]:
        return {
            f"{metric}/{name}": float(value)
            for metric, values in precision_recall_f1(*self.counts).items()
            for name, value in zip(self.task.classes, values, strict=True)
        }

    def pr_curves(self) -> Iterator[tuple[str, npt.NDArray[np.bool_], npt.NDArray[Any]]]:
        probabilities = sigmoid(self.logits)
        for index, name in enumerate(self.task.classes):
            yield name, self.labels[:, index], probabilities[:, index]

    def confusion(self) -> None:
        return None

    def truths(self) -> npt.NDArray[np.int8]:
        return self.labels.astype(np.int8)

    def guesses(self) -> npt.NDArray[np.int8]:
        return self.predictions.astype(np.int8)

    def predicted(self, index: int) -> str:
        return self.task.listed(self.predictions[index])
