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


class LogdirWatcher:
    """Watches folders from wait to wait, so that a change between two waits ends the second at once.

    Network file systems report nothing, and a watch may fail for want of kernel handles. So poll after every wait,
    whatever it returned.
    """

    def __init__(self, roots: Iterable[Path], *, stop: threading.Event) -> None:
        self._roots = tuple(roots)
        self._stop = stop
        self._watched: list[Path] = []
        self._notify: RustNotify | None = None
        self._may_have_missed = False
        """A watch reports nothing of what came before it, and a new folder has one only a moment after it was made."""

    def wait(self, timeout_secs: float) -> bool:
        """Returns True at a change below the roots, False after `timeout_secs` or when `stop` is set.

        Also returns True where a change may have gone unreported: when a watch begins, and after a new folder.
        """
        self._watch_existing_roots()
        if self._may_have_missed:
            self._may_have_missed = False
            return True
        if self._notify is None:
            self._stop.wait(timeout_secs)
            return False
        return self._wait_for_change(self._notify, timeout_secs)

    def _watch_existing_roots(self) -> None:
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

    def _wait_for_change(self, notify: RustNotify, timeout_secs: float) -> bool:
        reported = notify.watch(DEBOUNCE_MS, DEBOUNCE_MS, max(1, round(timeout_secs * 1000)), self._stop)
        if isinstance(reported, str):  # "timeout", "stop" or "signal"
            return False
        self._may_have_missed = any(change == _ADDED for change, _ in reported)
        return True
