"""Logdir follower: one thread waits for changes, reads them and notifies open pages."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from lossboard.kinds import kind_of, visible_tag
from lossboard.server.documents import Grew, GrownRun
from lossboard.store.logdir_watcher import LogdirWatcher
from lossboard.store.run_state import RunState, changes_with_time, run_state

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Key, Run
    from lossboard.store.series_index import SeriesIndex

MAX_SUBSCRIPTIONS = 200
_MAX_TAGS_NAMED = 200
_MAX_RUNS_NAMED = 2000
_MIN_PAUSE_SECS = 0.1
_MAX_PAUSE_SECS = 5.0

log = logging.getLogger(__name__)


@dataclass
class ChangeSet:
    """Changes since a page was last notified. They are merged, so notifications for a slow page never pile up."""

    cursor: int = 0
    grown: dict[str, set[Key]] = field(default_factory=dict)
    new_series: set[Key] = field(default_factory=set)
    """Plugins and tags that are new in a run. If the run is new, too, only `runs` is set."""
    runs: bool = False
    sidecar: bool = False
    messages: list[bytes] = field(default_factory=list)
    """The changes as events, once they are encoded: usually, all pages get the same ones."""

    def add(self, other: ChangeSet) -> None:
        self.cursor = max(self.cursor, other.cursor)
        for run, series in other.grown.items():
            self.grown.setdefault(run, set()).update(series)
        self.new_series |= other.new_series
        self.runs |= other.runs
        self.sidecar |= other.sidecar

    def __bool__(self) -> bool:
        return bool(self.grown) or self.runs or self.sidecar


class Subscription:
    """Pending notifications for one open page. Use only from the event loop."""

    def __init__(self) -> None:
        self._pending = ChangeSet()
        self._arrived = asyncio.Event()
        self.closed = False

    def post(self, changes: ChangeSet) -> None:
        if not self._pending:
            self._pending = changes
        else:
            merged = ChangeSet()
            merged.add(self._pending)
            merged.add(changes)
            self._pending = merged
        self._arrived.set()

    def close(self) -> None:
        self.closed = True
        self._arrived.set()

    async def next(self, timeout_secs: float) -> ChangeSet | None:
        """Returns the pending changes, or None after `timeout_secs` without any."""
        try:
            await asyncio.wait_for(self._arrived.wait(), timeout_secs)
        except TimeoutError:
            return None
        self._arrived.clear()
        changes, self._pending = self._pending, ChangeSet()
        return changes


class LogdirFollower:
    """Polls a logdir and notifies its subscriptions."""

    def __init__(
        self,
        logdir: Logdir,
        index: SeriesIndex,
        *,
        sidecar_changed: Callable[[], bool],
        interval_secs: float = 1.0,
        follow: bool = True,
    ) -> None:
        self._logdir = logdir
        self._index = index
        self._sidecar_changed = sidecar_changed
        self._interval_secs = interval_secs
        self._follow = follow
        self._stop = threading.Event()
        self.loaded = threading.Event()
        self.is_failing = False
        """Whether the last poll failed, so that pages show old data."""
        self._grew_at: dict[str, float] = {}
        self._states: dict[str, RunState] = {}
        """Last known states of the runs whose state changes with time."""
        self.states_version = 0
        """Grows when a run changes its state, also if no run grows."""
        self._subscriptions: dict[Subscription, asyncio.AbstractEventLoop] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="lossboard-follow", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self.close_subscriptions()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def close_subscriptions(self) -> None:
        for subscription, loop in self._open_subscriptions():
            loop.call_soon_threadsafe(subscription.close)

    @contextmanager
    def subscribe(self) -> Iterator[Subscription]:
        subscription = Subscription()
        with self._lock:
            self._subscriptions[subscription] = asyncio.get_running_loop()
        try:
            yield subscription
        finally:
            with self._lock:
                del self._subscriptions[subscription]

    @property
    def is_watched(self) -> bool:
        """Whether a page is open."""
        return bool(self._subscriptions)

    @property
    def is_full(self) -> bool:
        return len(self._subscriptions) >= MAX_SUBSCRIPTIONS

    def state(self, run: Run) -> RunState:
        return run_state(run, grew_at=self._grew_at.get(run.name, 0.0), now=time.time())

    def publish(self, changes: ChangeSet) -> None:
        for subscription, loop in self._open_subscriptions():
            loop.call_soon_threadsafe(subscription.post, changes)

    def _open_subscriptions(self) -> list[tuple[Subscription, asyncio.AbstractEventLoop]]:
        with self._lock:
            return list(self._subscriptions.items())

    def _run(self) -> None:
        watcher = LogdirWatcher([root.path for root in self._logdir.roots], stop=self._stop)
        while not self._stop.is_set():
            started = time.monotonic()
            try:
                self._poll_once()
                self.is_failing = False
                if not self._follow:
                    return
                # Polling a huge logdir on a slow disk takes long. An equally long pause leaves time for training.
                self._stop.wait(min(max(time.monotonic() - started, _MIN_PAUSE_SECS), _MAX_PAUSE_SECS))
                watcher.wait(self._interval_secs)
            except BaseException:  # also those that are not an Exception, such as a panic in a Rust extension
                log.exception("Reading the logdir failed. Trying again.")
                self._report_failure()
                self._stop.wait(max(self._interval_secs, _MIN_PAUSE_SECS))

    def _report_failure(self) -> None:
        # A page whose stream ends shows that it is disconnected, and updates everything when it connects again. So
        # changes that the failed poll read, but did not publish, reach it as well.
        self.is_failing = True
        self.close_subscriptions()

    def _poll_once(self) -> None:
        polled = self._logdir.poll()
        is_first = not self.loaded.is_set()
        if not is_first:
            self._grew_at.update(dict.fromkeys(polled.grown, time.time()))
        for name in polled.removed:
            self._grew_at.pop(name, None)
        new_series = self._index.refresh(self._logdir.runs) if polled else set()
        self.loaded.set()
        changes = ChangeSet(polled.cursor, new_series=new_series, sidecar=self._sidecar_changed())
        # After so many changes a page loads everything again, which takes less time than a list of them.
        changes.runs = is_first or bool(polled.added or polled.removed) or len(polled.grown) > _MAX_RUNS_NAMED
        if not is_first and len(polled.grown) <= _MAX_RUNS_NAMED:
            changes.grown = {name: set(series) for name, series in polled.grown.items()}
        changed_states = self._update_states(polled.grown)
        if len(changed_states) > _MAX_RUNS_NAMED:
            changes.runs = True
        else:
            for name in changed_states:
                changes.grown.setdefault(name, set())
        if changes:
            self.publish(changes)

    def _update_states(self, grown: Iterable[str]) -> list[str]:
        """Returns the runs whose state changed since the last poll."""
        runs = self._logdir.runs
        candidates = {name: runs[name] for name in (*self._states, *grown) if name in runs}
        states = {name: self.state(run) for name, run in candidates.items()}
        changed = [name for name, before in self._states.items() if states.get(name, before) != before]
        self._states = {name: state for name, state in states.items() if changes_with_time(state)}
        self.states_version += bool(changed)
        return changed


def grew_message(changes: ChangeSet, runs: Mapping[str, Run], state: Callable[[Run], RunState]) -> Grew:
    """Returns the data of a `grew` event: the state and the grown tags of each run."""
    grown: dict[str, GrownRun] = {}
    for name, series in changes.grown.items():
        if (run := runs.get(name)) is not None:
            grown[run.id] = {
                "state": state(run),
                "last": finite_time(run.last),
                "bytes": run.bytes,
                "kinds": _tags_by_kind(series),
            }
    return {"cursor": changes.cursor, "new_tags": sorted(_tags_by_kind(changes.new_series)), "runs": grown}


def finite_time(seconds: float | None) -> float | None:
    """Returns a wall time, or None for one that is not finite: a log may hold any number."""
    return seconds if seconds is not None and math.isfinite(seconds) else None


def _tags_by_kind(series: Iterable[Key]) -> dict[str, list[str] | Literal["*"]]:
    tags: dict[str, dict[str, None]] = {}
    for plugin, stored in sorted(series):
        if (tag := visible_tag(plugin, stored)) is not None:
            tags.setdefault(kind_of(plugin).name, {})[tag] = None
    return {kind: "*" if len(names) > _MAX_TAGS_NAMED else list(names) for kind, names in tags.items()}
