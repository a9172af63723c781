"""Waiting until a logdir may have changed."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

DEBOUNCE_MS = 50
_ENDED = object()


class Watcher:
    """Watches folders from wait to wait, so that a change between two waits ends the second at once.

    Network file systems report nothing, and a watch may fail for want of kernel handles: so the end of a wait says only
    that it is time to poll.
    """

    def __init__(self, roots: Iterable[Path], *, timeout_secs: float, stop: threading.Event) -> None:
        self._roots = tuple(roots)
        self._timeout_secs = timeout_secs
        self._stop = stop
        self._watched: list[Path] = []
        self._changes: Iterator[object] | None = None

    def wait(self) -> None:
        """Returns at a change below the roots, when `stop` is set, and after `timeout_secs` at the latest."""
        existing = [root for root in self._roots if root.is_dir()]
        if existing != self._watched:
            self._watched = existing
            self._changes = self._watch() if existing else None
        try:
            if self._changes is not None and next(self._changes, _ENDED) is not _ENDED:
                return
        except OSError:
            pass  # this file system cannot be watched
        self._changes = None
        self._stop.wait(self._timeout_secs)

    def _watch(self) -> Iterator[object]:
        from watchfiles import watch

        return watch(
            *self._watched,
            stop_event=self._stop,
            watch_filter=None,
            debounce=DEBOUNCE_MS,
            step=DEBOUNCE_MS,
            rust_timeout=max(1, round(self._timeout_secs * 1000)),
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
