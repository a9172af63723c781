"""The table of facts: a row for each run, columns made when they are first requested.

Refreshing it reads only runs that changed. Statistics of a metric are kept by the core, which reads only new points.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from lossboard.bounded_cache import BoundedCache
from lossboard.kinds.cancellation import check_cancelled
from lossboard.select.facts.columns import AnyColumn, number_column, text_column, texts_column, value_column
from lossboard.select.facts.fields import AGGREGATES, RUN_FACTS, Field
from lossboard.select.facts.hyperparameters import (
    LoggedSession,
    OwnHyperparameters,
    join_hyperparameters,
    read_hyperparameters,
)
from lossboard.select.facts.values import FactValue
from lossboard.store.run_state import RunState, run_state
from lossboard.store.scalar_stats import ScalarStats, update_stats

if TYPE_CHECKING:
    from lossboard.store.annotations import Annotations
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run, SeriesInfo
    from lossboard.store.series_index import SeriesIndex

_MAX_STATS_ROWS = 4_000_000
"""Rows of statistics to keep, over all tags. A row takes about 130 bytes."""
_MAX_COLUMN_ROWS = 20_000_000
"""Rows of columns to keep, over all columns. A row takes 10 to 40 bytes."""
_STATE_NAMES = {"live": "running", "stalled": "stalled", "finished": "finished"}


def _state_now(run: Run) -> RunState:
    return run_state(run, grew_at=0.0, now=time.time())


class Facts:
    """Facts about the runs of a logdir, kept up to date. Safe to use from several threads.

    `state` returns the state of a run. The server passes its own, which knows when it saw a run grow.
    """

    def __init__(
        self,
        logdir: Logdir,
        index: SeriesIndex,
        annotations: Annotations,
        *,
        state: Callable[[Run], RunState] | None = None,
    ) -> None:
        self._logdir = logdir
        self._index = index
        self._annotations = annotations
        self.state = state or _state_now
        self._lock = threading.RLock()
        self._own: dict[str, tuple[Run, int, OwnHyperparameters]] = {}
        self._stats: dict[str, ScalarStats] = {}
        self._stats_at: dict[str, object] = {}
        self._table: FactTable | None = None

    def table(self) -> FactTable:
        """Returns the facts as of now. A table does not change; a later call returns another one."""
        with self._lock:
            runs, version = self._logdir.runs, (self._logdir.cursor, self._annotations.version)
            known = self._table
            if known is not None and known.version == version and known.by_name is runs:
                return known
            hyperparameters = self._hyperparameters(runs)
            are_equal = known is not None and known.by_name is runs and known.hyperparameters == hyperparameters
            settings = known.settings if known is not None and are_equal else BoundedCache(_MAX_COLUMN_ROWS)
            self._table = FactTable(self, version, runs, hyperparameters, settings)
            return self._table

    def _hyperparameters(self, runs: Mapping[str, Run]) -> list[Mapping[str, FactValue]]:
        own: dict[str, tuple[Run, int, OwnHyperparameters]] = {}
        changed = len(runs) != len(self._own)
        for run, series in self._index.of(runs.values()):
            known, changed_at = self._own.get(run.name), run.changed_at
            if known is not None and known[0] is run and known[1] == changed_at:
                own[run.name] = known
                continue
            before = known[2] if known is not None and known[0] is run else None
            read = read_hyperparameters(run, series, root=self._logdir.root_of(run).path, known=before)
            changed |= read is not before
            own[run.name] = (run, changed_at, read)
        self._own = own
        if not changed and self._table is not None and self._table.by_name.keys() == runs.keys():
            joined = dict(zip(self._table.by_name, self._table.hyperparameters, strict=True))
        else:
            joined = join_hyperparameters({name: entry[2].settings for name, entry in own.items()})
        return [joined[name] for name in runs]

    def sessions(self) -> Mapping[str, LoggedSession]:
        """Returns the sessions of the hparams plugin by the names of their runs."""
        with self._lock:
            return {name: read.session for name, (_, _, read) in self._own.items() if read.session is not None}

    def annotations(self, run: Run) -> Mapping[str, object]:
        return self._annotations.of(run)

    def scalar_series(self, runs: Sequence[Run]) -> list[list[SeriesInfo]]:
        return [[info for info in series.values() if info.plugin == "scalars"] for _, series in self._index.of(runs)]

    def metric_names(self) -> Counter[str]:
        """Returns all scalar tags, with how many runs have each."""
        counts = self._index.counts(self._logdir.runs)
        return Counter({tag: count for (plugin, tag), count in counts.items() if plugin == "scalars"})

    def metric_column(self, table: FactTable, field: Field) -> AnyColumn:
        with self._lock:
            return _metric_column(self._current_stats(table, field.name), field)

    def _current_stats(self, table: FactTable, tag: str) -> ScalarStats:
        stats = self._stats.pop(tag, None) or ScalarStats(tag)
        self._stats[tag] = stats  # the most recently used is last
        if self._stats_at.get(tag) is not table.runs:
            update_stats(stats, table.runs)
            self._stats_at[tag] = table.runs
        while len(self._stats) > 1 and len(self._stats) * len(table.runs) > _MAX_STATS_ROWS:
            oldest = next(iter(self._stats))
            del self._stats[oldest], self._stats_at[oldest]
        return stats


class FactTable:
    """Facts about all runs at one moment, in the order of the board."""

    def __init__(
        self,
        facts: Facts,
        version: tuple[int, object],
        by_name: Mapping[str, Run],
        hyperparameters: Sequence[Mapping[str, FactValue]],
        settings: BoundedCache[AnyColumn],
    ) -> None:
        self._facts = facts
        self.version = version
        self.by_name = by_name
        self.runs = list(by_name.values())
        self.hyperparameters = hyperparameters
        self.settings = settings
        """Columns of hyperparameters that were requested lately."""
        self._columns: BoundedCache[AnyColumn] = BoundedCache(_MAX_COLUMN_ROWS)
        self._added: dict[Field, AnyColumn] = {}
        self.hyperparameter_names = _count_names(hyperparameters)
        self.metric_names = facts.metric_names()
        self.sessions = facts.sessions()

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def cursor(self) -> int:
        """The cursor of the logdir that the facts are from."""
        return self.version[0]

    def fork(self) -> FactTable:
        """Returns the same table, to which columns can be added that only one request needs."""
        forked = copy(self)
        forked._added = dict(self._added)
        return forked

    def add_column(self, field: Field, column: AnyColumn) -> None:
        self._added[field] = column

    def column(self, field: Field) -> AnyColumn:
        if field == Field("run", "state"):  # it changes with the time of day
            return self._run_column("state")
        if field.aggregate == "at":  # there is one for each step, too many to keep
            return self._make(field)
        if (added := self._added.get(field)) is not None:
            return added
        known = self.settings if field.source == "hp" else self._columns
        if (column := known.get(field)) is None:
            column = self._make(field)
            known.put(field, column, size=len(self))
        return column

    def scalar_tags(self) -> list[list[str]]:
        """Returns the scalar tags of each run."""
        return [[info.tag for info in series] for series in self._facts.scalar_series(self.runs)]

    def fields(self) -> list[Field]:
        """Returns every fact there is, except `at`, which is one for each step."""
        fields = [Field("run", name) for name in RUN_FACTS]
        fields += [Field("hp", name) for name in self.hyperparameter_names]
        aggregates = [name for name in AGGREGATES if name != "at"]
        return fields + [Field("metric", tag, one) for tag in sorted(self.metric_names) for one in aggregates]

    def _make(self, field: Field) -> AnyColumn:
        check_cancelled()
        if field.source == "hp":
            return value_column([row.get(field.name) for row in self.hyperparameters])
        return self._facts.metric_column(self, field) if field.source == "metric" else self._run_column(field.name)

    def _run_column(self, name: str) -> AnyColumn:
        match name:
            case "run":
                return text_column([run.name for run in self.runs])
            case "folder":
                return text_column([run.name.rpartition("/")[0] or "." for run in self.runs])
            case "tags":
                return texts_column([_tags(self._facts.annotations(run)) for run in self.runs])
            case "alias" | "note":
                return text_column([_text(self._facts.annotations(run).get(name)) for run in self.runs])
            case "state":
                return text_column([_STATE_NAMES[self._facts.state(run)] for run in self.runs])
            case "last_step":
                return self._last_steps()
        return self._summary_column(name)

    def _summary_column(self, name: str) -> AnyColumn:
        type = RUN_FACTS[name][0]
        if name == "corrupt_records":
            counts = np.array([run.health.records for run in self.runs], np.int64)
            return number_column(counts, np.ones(len(counts), bool), type=type)
        if name == "size":
            sizes = np.array([run.bytes for run in self.runs], np.int64)
            return number_column(sizes, np.ones(len(sizes), bool), type=type)
        times = np.array([(run.start, run.last or run.start) for run in self.runs], np.float64).reshape(-1, 2)
        values = times[:, 0] if name == "start" else times[:, 1] - times[:, 0]
        return number_column(values, np.isfinite(values), type=type)

    def _last_steps(self) -> AnyColumn:
        steps = [
            max((info.last_step for info in series if info.last_step is not None), default=None)
            for series in self._facts.scalar_series(self.runs)
        ]
        has_value = np.array([step is not None for step in steps], bool)
        return number_column(np.array([step or 0 for step in steps], np.int64), has_value)


def _count_names(rows: Sequence[Mapping[str, FactValue]]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(row.keys())
    return counts


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _tags(fields: Mapping[str, object]) -> Sequence[str]:
    tags = fields.get("tags", [])
    return [str(tag) for tag in tags] if isinstance(tags, list) else []


def _metric_column(stats: ScalarStats, field: Field) -> AnyColumn:
    if field.aggregate == "at":
        values, found = stats.value_at(field.step)
        return number_column(values, found.astype(bool))
    if field.aggregate in ("min", "max", "mean", "argmin", "argmax"):
        has_value = stats.finite > 0
    else:
        has_value = stats.count > 0
    return number_column(getattr(stats, _STATISTICS[field.aggregate]), has_value)


_STATISTICS = {
    "last": "last",
    "first": "first",
    "min": "minimum",
    "max": "maximum",
    "mean": "mean",
    "argmin": "step_of_minimum",
    "argmax": "step_of_maximum",
    "count": "count",
}
