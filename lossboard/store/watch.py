"""Waiting until a logdir may have changed."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

DEBOUNCE_MS = 50
_ADDED = 1


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
        self._notify: RustNotify | None = None
        self._may_have_missed = False
        """A watch tells nothing of what came before it, and a new folder has one only a moment after it was made."""

    def wait(self) -> None:
        """Returns at a change below the roots, when `stop` is set, and after `timeout_secs` at the latest."""
        self._begin()
        if self._may_have_missed:
            self._may_have_missed = False
        elif self._notify is None:
            self._stop.wait(self._timeout_secs)
        else:
            self._hear(self._notify)

    def _begin(self) -> None:
        existing = [root for root in self._roots if root.is_dir()]
        if existing == self._watched:
            return
        from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

        self._watched, self._notify = existing, None
        try:
            self._notify = RustNotify([str(root) for root in existing], False, False, 0, True, True)
            self._may_have_missed = True
        except (OSError, WatchfilesRustInternalError):
            pass  # this file system cannot be watched

    def _hear(self, notify: RustNotify) -> None:
        said = notify.watch(DEBOUNCE_MS, DEBOUNCE_MS, max(1, round(self._timeout_secs * 1000)), self._stop)
        self._may_have_missed = not isinstance(said, str) and any(change == _ADDED for change, _ in said)
