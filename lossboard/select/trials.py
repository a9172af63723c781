"""Trials: the rows of the HParams view. A trial is a run with hyperparameters, together with its sub-runs.

TensorBoard's hparams plugin calls a run with hyperparameters a session. TensorFlow logs metrics of a session in
sub-runs such as `validation`, and torch logs hyperparameters in a sub-run that it names after the time. Both belong to
one trial. Without the plugin, every run that has hyperparameters in any other form is a trial.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lossboard.kinds.hparams.decode import DeclaredExperiment, HParamInfo, MetricInfo, declared_experiments
from lossboard.kinds.hparams.experiment import MetricKey
from lossboard.select.facts.columns import Column, number_column
from lossboard.select.facts.direction import Direction, direction_of
from lossboard.select.facts.fields import Field
from lossboard.select.facts.hyperparameters import is_time_name

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

Rows: TypeAlias = NDArray[np.int64]
_NO_ROW = -1
_MAIN_METRICS = 4
_EVALUATION = frozenset({"dev", "eval", "evaluation", "test", "val", "valid", "validation", "hparam"})


@dataclass(frozen=True)
class BestStep:
    """Values at the step where another metric is best."""

    metric: MetricKey
    direction: Direction


Value: TypeAlias = str | BestStep
"""`last`, `min`, `max`, or a step at which the value is taken."""


class Trials:
    """All trials of a logdir at one moment, in the order of the board."""

    def __init__(self, table: FactTable) -> None:
        self._table = table
        self._row_of = {name: row for row, name in enumerate(table.by_name)}
        heads = {_head_of_session(name, self._row_of): session for name, session in table.sessions.items()}
        members: dict[str, dict[str, int]] = {}
        for name, row in self._row_of.items():
            head = _nearest_head(name, heads)
            members.setdefault(head, {})[_group(name, head)] = row
        has_settings = dict(zip(table.by_name, table.hyperparameters, strict=True))
        self.names = [name for name in self._row_of if name in members and has_settings[name]]
        self._members = [members[name] for name in self.names]
        self.sessions = [heads.get(name) for name in self.names]
        """What each trial logged with the hparams plugin, if it did."""
        self.rows: Rows = np.array([self._row_of[name] for name in self.names], np.int64)
        """The row of each trial in the table of facts."""

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def declared_hparams(self) -> Mapping[str, HParamInfo]:
        return {info.name: info for each in self._declarations for info in each.hparams}

    @cached_property
    def _declarations(self) -> list[DeclaredExperiment]:
        return declared_experiments(self._table.runs)

    def is_declared(self, metric: MetricKey) -> bool:
        return any((info.group, info.tag) == metric for each in self._declarations for info in each.metrics)

    @cached_property
    def metrics(self) -> dict[MetricKey, tuple[MetricInfo, int]]:
        """All metrics, with how many trials have each."""
        declared = {(info.group, info.tag): info for each in self._declarations for info in each.metrics}
        counts: Counter[MetricKey] = Counter()
        tags = self._table.scalar_tags()
        for members in self._members:
            named = (("" if is_time_name(group) else group, row) for group, row in members.items())
            counts.update({(group, tag) for group, row in named for tag in tags[row]})
        found = {key: (info, int(self.column(key, "last").has_value.sum())) for key, info in declared.items()}
        return found | {
            key: (MetricInfo(key[1], key[0]), count) for key, count in sorted(counts.items()) if key not in declared
        }

    def column(self, metric: MetricKey, value: Value) -> Column:
        """Returns a metric of all trials."""
        found = [self._column(rows, metric[1], value) for rows in self._rows_of(metric[0])]
        numbers, has_value = found[0]
        for other, other_has in found[1:]:
            numbers = np.where(has_value, numbers, other)
            has_value = has_value | other_has
        return number_column(numbers, has_value)

    def _column(self, rows: Rows, tag: str, value: Value) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        exists = rows != _NO_ROW
        if isinstance(value, BestStep):
            return self._values_at(rows, tag, self._best_steps(value))
        column = self._table.column(Field("metric", tag, value))
        assert isinstance(column, Column)
        return column.numbers[rows], column.has_value[rows] & exists

    def _best_steps(self, best: BestStep) -> Column:
        return self.column(best.metric, "argmin" if best.direction == "min" else "argmax")

    def _values_at(self, rows: Rows, tag: str, steps: Column) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Returns the value of the last point at or before a step of each trial."""
        numbers, has_value = np.full(len(rows), np.nan), np.zeros(len(rows), bool)
        for trial in np.flatnonzero((rows != _NO_ROW) & steps.has_value).tolist():
            run = self._table.runs[rows[trial]]
            if not run.has("scalars", tag):
                continue
            points = run.column(tag)
            at = int(np.searchsorted(points.steps, steps.numbers[trial], side="right")) - 1
            if at >= 0:
                numbers[trial], has_value[trial] = points.values[at], True
        return numbers, has_value

    def _rows_of(self, group: str) -> list[Rows]:
        """Returns the row of the run that logs the metrics of a group, for each trial. With an empty group, these are
        the trial's own run and then the sub-run that torch made."""
        path = posixpath.normpath(group)
        if path == ".":
            torch = [next((row for name, row in m.items() if is_time_name(name)), _NO_ROW) for m in self._members]
            return [self.rows, np.array(torch, np.int64)]
        if path.startswith(".."):
            names = (posixpath.normpath(posixpath.join(name, path)) for name in self.names)
            return [np.array([self._row_of.get(name, _NO_ROW) for name in names], np.int64)]
        return [np.array([members.get(path, _NO_ROW) for members in self._members], np.int64)]


def _head_of_session(name: str, runs: Container[str]) -> str:
    """Returns the run whose trial a session describes: the run above it, if torch made the session's run."""
    above = posixpath.dirname(name) or "."
    return above if is_time_name(name) and above in runs else name


def _nearest_head(name: str, heads: Container[str]) -> str:
    """Returns the run whose trial a run belongs to: the nearest one above it that has a session, or itself."""
    folder = name
    while folder not in heads:
        if "/" not in folder:
            return "." if "." in heads else name
        folder = posixpath.dirname(folder)
    return folder


def _group(name: str, owner: str) -> str:
    return "" if name == owner else name if owner == "." else name[len(owner) + 1 :]


def main_metrics(trials: Trials) -> list[MetricKey]:
    """Returns the metrics to show first: those that were declared, else those whose name tells what is better, of
    evaluation before training."""

    def rank(key: MetricKey) -> tuple[bool, bool, bool, MetricKey]:
        words = re.split(r"[^a-z]+", f"{key[0]}/{key[1]}".lower())
        knows_best = direction_of(Field("metric", key[1], "last")) is not None
        return not trials.is_declared(key), not knows_best, _EVALUATION.isdisjoint(words), key

    ranked = sorted(trials.metrics, key=rank)
    useful = [key for key in ranked if not rank(key)[0] or not rank(key)[1]]
    return (useful or ranked)[:_MAIN_METRICS]
