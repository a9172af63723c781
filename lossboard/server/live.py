"""Following the logdir: one thread waits, reads what is new, and tells every open page what grew."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from lossboard.kinds import kind_of
from lossboard.query.runs import run_id
from lossboard.store.watch import Watcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lossboard.store.logdir import Changes, Logdir
    from lossboard.store.run import Run

State = Literal["live", "stalled", "finished"]

LIVE_SECS = 30
STALLED_SECS = 3600
MAX_LISTENERS = 200
_MAX_TAGS_NAMED = 200
_LEAST_PAUSE_SECS = 0.1
_MOST_PAUSE_SECS = 5.0

log = logging.getLogger(__name__)


@dataclass
class News:
    """What happened since a listener last looked. A slow one finds it added up, so that nothing queues."""

    cursor: int = 0
    grown: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    runs: bool = False
    sidecar: bool = False

    def add(self, other: News) -> None:
        self.cursor = max(self.cursor, other.cursor)
        for run, series in other.grown.items():
            self.grown.setdefault(run, set()).update(series)
        self.runs |= other.runs
        self.sidecar |= other.sidecar

    def __bool__(self) -> bool:
        return bool(self.grown) or self.runs or self.sidecar


class Mailbox:
    """What one open page has yet to hear; used only in the event loop."""

    def __init__(self) -> None:
        self._news = News()
        self._something = asyncio.Event()
        self.closed = False

    def post(self, news: News) -> None:
        self._news.add(news)
        self._something.set()

    def close(self) -> None:
        self.closed = True
        self._something.set()

    async def next(self, timeout_secs: float) -> News | None:
        """The news, or None if there were none for that long."""
        try:
            await asyncio.wait_for(self._something.wait(), timeout_secs)
        except TimeoutError:
            return None
        self._something.clear()
        news, self._news = self._news, News()
        return news


class Follower:
    """Keeps a logdir read and its listeners informed."""

    def __init__(
        self, logdir: Logdir, *, sidecar_changed: Callable[[], bool], interval_secs: float = 1.0, follow: bool = True
    ) -> None:
        self._logdir = logdir
        self._sidecar_changed = sidecar_changed
        self._interval_secs = interval_secs
        self._follow = follow
        self._stop = threading.Event()
        self.loaded = threading.Event()
        self._grew_at: dict[str, float] = {}
        self._awake: dict[str, State] = {}
        """The runs that are not over."""
        self._mailboxes: dict[Mailbox, asyncio.AbstractEventLoop] = {}
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._run, name="lossboard-follow", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self.close_listeners()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    def close_listeners(self) -> None:
        for mailbox, loop in self._listeners():
            loop.call_soon_threadsafe(mailbox.close)

    @contextmanager
    def listen(self) -> Iterator[Mailbox]:
        mailbox = Mailbox()
        with self._lock:
            self._mailboxes[mailbox] = asyncio.get_running_loop()
        try:
            yield mailbox
        finally:
            with self._lock:
                del self._mailboxes[mailbox]

    @property
    def is_full(self) -> bool:
        return len(self._mailboxes) >= MAX_LISTENERS

    def state(self, run: Run) -> State:
        """Whether a run is growing, has fallen silent, or is over. Many writers leave no word of the end."""
        if run.ended:
            return "finished"
        now = time.time()
        written = run.last or 0.0
        if now - max(min(written, now), self._grew_at.get(run.name, 0.0)) < LIVE_SECS:
            return "live"
        return "stalled" if now - written < STALLED_SECS else "finished"

    def publish(self, news: News) -> None:
        for mailbox, loop in self._listeners():
            loop.call_soon_threadsafe(mailbox.post, news)

    def _listeners(self) -> list[tuple[Mailbox, asyncio.AbstractEventLoop]]:
        with self._lock:
            return list(self._mailboxes.items())

    def _run(self) -> None:
        roots = [root.path for root in self._logdir.roots]
        watcher = Watcher(roots, stop=self._stop)
        while not self._stop.is_set():
            began = time.monotonic()
            try:
                self._look(self._logdir.poll())
            except Exception:
                # A fault in one look must not end all later ones; the next look starts from what is on the disk.
                log.exception("Reading the logdir failed; trying again")
            if not self._follow:
                return
            # A huge logdir on a slow disk takes long to look at: leave half of the time to the training.
            self._stop.wait(min(max(time.monotonic() - began, _LEAST_PAUSE_SECS), _MOST_PAUSE_SECS))
            watcher.wait(self._interval_secs)

    def _look(self, changes: Changes) -> None:
        first = not self.loaded.is_set()
        if not first:
            self._grew_at.update(dict.fromkeys(changes.grown, time.time()))
        for name in changes.removed:
            self._grew_at.pop(name, None)
        self.loaded.set()
        news = News(changes.cursor, {name: set(series) for name, series in changes.grown.items()})
        news.runs = first or bool(changes.added or changes.removed)
        news.sidecar = self._sidecar_changed()
        for name in self._turned(changes.grown):
            news.grown.setdefault(name, set())
        if news:
            self.publish(news)

    def _turned(self, grown: Iterable[str]) -> list[str]:
        """The runs whose state is another than at the last look. One that is over stays so until it grows."""
        runs = self._logdir.runs
        candidates = {name: runs[name] for name in (*self._awake, *grown) if name in runs}
        states = {name: self.state(run) for name, run in candidates.items()}
        turned = [name for name, before in self._awake.items() if states.get(name, before) != before]
        self._awake = {name: state for name, state in states.items() if state != "finished"}
        return turned


def grew_message(news: News, runs: Mapping[str, Run], state: Callable[[Run], State]) -> Any:
    """The `grew` event: which runs, in which state, with which tags of which kinds."""
    told = {}
    for name, series in news.grown.items():
        if (run := runs.get(name)) is not None:
            told[run_id(name)] = {"state": state(run), "last": run.last, "kinds": _tags_by_kind(series)}
    return {"cursor": news.cursor, "runs": told}


def _tags_by_kind(series: Iterable[tuple[str, str]]) -> dict[str, list[str] | str]:
    tags: dict[str, list[str]] = {}
    for plugin, tag in sorted(series):
        tags.setdefault(kind_of(plugin).name, []).append(tag)
    return {kind: "*" if len(names) > _MAX_TAGS_NAMED else names for kind, names in tags.items()}
