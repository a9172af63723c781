"""Index of the series of all runs. Updating it reads only runs that changed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lossboard.store.run import Key, Run, SeriesInfo


class SeriesIndex:
    """Series of a logdir, by run and in total."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str, tuple[Run, int, Mapping[Key, SeriesInfo]]] = {}
        self._counts: Counter[Key] = Counter()
        self._first: dict[Key, Run] = {}

    def of(self, runs: Iterable[Run]) -> list[tuple[Run, Mapping[Key, SeriesInfo]]]:
        """Returns runs, each with its series."""
        with self._lock:
            return [(run, self._refresh(run)) for run in runs]

    def counts(self, runs: Mapping[str, Run]) -> Mapping[Key, int]:
        """Returns how many runs have each series. `runs` must be all runs of the logdir: others are dropped."""
        with self._lock:
            for name in self._known.keys() - runs.keys():
                self._forget(name)
            for run in runs.values():
                self._refresh(run)
            return dict(self._counts)

    def metadata(self, key: Key) -> bytes:
        """Returns the SummaryMetadata of a series, from the first run that has it."""
        run = self._first.get(key)
        return run.metadata(key[1]) if run is not None else b""

    def _refresh(self, run: Run) -> Mapping[Key, SeriesInfo]:
        known, changed = self._known.get(run.name), run.changed_at
        if known is not None and known[0] is run and known[1] == changed:
            return known[2]
        series = {(info.plugin, info.tag): info for info in run.index()}
        if known is None or known[2].keys() != series.keys():
            self._forget(run.name)
            self._counts.update(series.keys())
            for key in series:
                self._first.setdefault(key, run)
        self._known[run.name] = (run, changed, series)
        return series

    def _forget(self, name: str) -> None:
        if known := self._known.pop(name, None):
            for key in known[2]:
                self._counts[key] -= 1
                if self._first.get(key) is known[0]:
                    del self._first[key]
                if not self._counts[key]:
                    del self._counts[key]
