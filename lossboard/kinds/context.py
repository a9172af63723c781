"""Context of a request: the data and caches that a route handler may use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lossboard.bounded_cache import BoundedCache
from lossboard.kinds.decoding_memory import DecodingMemory
from lossboard.kinds.jobs import Jobs
from lossboard.store.run_ids import find_run, run_labels

if TYPE_CHECKING:
    from lossboard.store.annotations import Annotations
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run
    from lossboard.store.series_index import SeriesIndex


class Caches:
    """Bounded caches by name. Each is created when it is first requested."""

    def __init__(self) -> None:
        self._caches: dict[str, BoundedCache[Any]] = {}
        self._lock = threading.Lock()

    def get(self, name: str, *, max_size: int) -> BoundedCache[Any]:
        with self._lock:
            return self._caches.setdefault(name, BoundedCache(max_size))


@dataclass(frozen=True)
class Context:
    """One logdir with its index, annotations, caches and background jobs. All requests to a board share it."""

    logdir: Logdir
    index: SeriesIndex
    annotations: Annotations
    select_runs: Callable[[object], list[Run]]
    """Returns the runs that the `runs` parameter of a request selects. Set by the server: `select` is above kinds."""
    caches: Caches = field(default_factory=Caches)
    jobs: Jobs[Any] = field(default_factory=Jobs)
    decoding_memory: DecodingMemory = field(default_factory=DecodingMemory)

    def find_run(self, id: object) -> Run:
        return find_run(self.logdir, id)

    def display_names(self) -> Mapping[str, str]:
        """Returns the name that the board shows for each run, by run name: its alias, or else its label."""
        runs = self.logdir.runs
        labels = run_labels(runs, root=self.logdir.roots[0].path)
        return {name: self.annotations.of(run).get("alias") or labels[name] for name, run in runs.items()}
