"""Logdir watcher: waits until a logdir may have changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lossboard.store.watchfiles_internals import FolderWatch

_PAUSE_SECS = 60
"""Time until an ended watch starts again. Watching a large logdir is expensive, and polling continues."""


class LogdirWatcher:
    """Watches folders also between two waits, so that a change in between ends the second wait at once.

    Network file systems report no changes, and a watch fails if the kernel has no free handles. So poll after every
    wait, also after one that returned False.
    """

    def __init__(self, roots: Iterable[Path], *, stop: threading.Event) -> None:
        self._roots = tuple(roots)
        self._stop = stop
        self._watched: list[Path] = []
        self._watch: FolderWatch | None = None
        self._paused_until = 0.0
        self._may_have_missed = False
        """A watch does not report earlier changes, and the watch of a new folder starts after the folder exists."""

    def wait(self, timeout_secs: float) -> bool:
        """Returns True after a change below the roots, False after `timeout_secs` or when `stop` is set.

        Also returns True if changes may have been missed: when a watch starts, and after a new folder.
        """
        self._watch_existing_roots()
        if self._may_have_missed:
            self._may_have_missed = False
            return True
        if self._watch is None:
            self._stop.wait(timeout_secs)
            return False
        try:
            changes = self._watch.wait(timeout_secs, self._stop)
        except OSError:  # the watch has ended, after an unknown change
            self._watched, self._watch = [], None
            self._paused_until = time.monotonic() + _PAUSE_SECS
            return True
        self._may_have_missed = changes is not None and changes.has_added
        return changes is not None

    def _watch_existing_roots(self) -> None:
        existing = [root for root in self._roots if root.is_dir()]
        if existing == self._watched or time.monotonic() < self._paused_until:
            return
        from lossboard.store.watchfiles_internals import FolderWatch

        self._watched, self._watch = existing, None
        try:
            self._watch = FolderWatch(existing)
            self._may_have_missed = True
        except OSError:
            pass  # this file system cannot be watched, so only polling finds changes
