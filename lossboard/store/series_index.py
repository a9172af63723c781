"""Index of the series of all runs. Updating it reads only runs that changed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from lossboard.store.many_series import MIN_SERIES, ManySeries
from lossboard.store.run import SeriesInfo

if TYPE_CHECKING:
    from lossboard.store.run import Key, Run


class SeriesIndex:
    """Series of a logdir, by run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Run, int, Mapping[Key, SeriesInfo]]] = {}
        self._shared_keys: dict[Key, Key] = {}
        """One object for each key, because most runs have the same ones."""
        self._added: set[Key] = set()
        self._version = 0

    def of(self, runs: Iterable[Run]) -> list[tuple[Run, Mapping[Key, SeriesInfo]]]:
        """Returns runs, each with its series."""
        with self._lock:
            return [(run, self._refresh(run)) for run in runs]

    def refresh(self, runs: Mapping[str, Run]) -> set[Key]:
        """Reads the runs that changed. `runs` must be all runs of the logdir: others are dropped.

        Returns the series that known runs got since the last call.
        """
        with self._lock:
            for name in self._known.keys() - runs.keys():
                del self._known[name]
                self._version += 1
            for run in runs.values():
                self._refresh(run)
            added, self._added = self._added, set()
            return added

    def version(self, runs: Iterable[Run]) -> int:
        """Returns a number that changes when one of the runs has other series than before, or a run comes or goes."""
        with self._lock:
            for run in runs:
                self._refresh(run)
            return self._version

    def keys(self, runs: Iterable[Run]) -> Iterator[Key]:
        """Yields the series of runs, each at least once."""
        series = [series for _, series in self.of(runs)]
        yield from set().union(*(one for one in series if not isinstance(one, ManySeries)))
        for one in series:
            if isinstance(one, ManySeries):
                yield from one

    def counts(self, runs: Mapping[str, Run]) -> Counter[Key]:
        """Returns how many runs have each series."""
        counts: Counter[Key] = Counter()
        for _, series in self.of(runs.values()):
            counts.update(series.keys())
        return counts

    def _refresh(self, run: Run) -> Mapping[Key, SeriesInfo]:
        known, version = self._known.get(run.name), run.version
        if known is not None and known[0] is run and known[1] == version:
            return known[2]
        series = ManySeries(run) if run.series_count >= MIN_SERIES else self._read(run)
        if known is None:
            self._version += 1
        else:
            self._compare(known[2], series)
        self._known[run.name] = (run, version, series)
        return series

    def _compare(self, before: Mapping[Key, SeriesInfo], now: Mapping[Key, SeriesInfo]) -> None:
        if isinstance(now, ManySeries):
            if now.count != (before.count if isinstance(before, ManySeries) else len(before)):
                self._version += 1
                self._added |= now.changed_since(before.changed_at if isinstance(before, ManySeries) else 0)
        elif before.keys() != now.keys():
            self._version += 1
            self._added |= now.keys() - before.keys()

    def _read(self, run: Run) -> dict[Key, SeriesInfo]:
        series: dict[Key, SeriesInfo] = {}
        for info in run.rows(SeriesInfo):
            key = (info.plugin, info.tag)
            key = info.plugin, info.tag = self._shared_keys.setdefault(key, key)
            series[key] = info
        return series
