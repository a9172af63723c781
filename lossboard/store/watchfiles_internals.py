"""Adapter for the part of watchfiles that is not public. No other module uses it.

The public `watchfiles.watch` starts a new watch on each call, so it would miss changes between two calls.
`tests/store/test_watchfiles_internals.py` fails if a new release of watchfiles changes this part.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from watchfiles import Change
from watchfiles._rust_notify import RustNotify, WatchfilesRustInternalError

_DEBOUNCE_MS = 50


@dataclass(frozen=True)
class ReportedChanges:
    has_added: bool
    """Whether a file or folder was added."""


class FolderWatch:
    """A watch of folders and everything below them. It reports changes from its creation on."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Raises OSError if the file system cannot be watched."""
        try:
            self._notify = RustNotify(
                [str(folder) for folder in folders],
                debug=False,
                force_polling=False,
                poll_delay_ms=0,
                recursive=True,
                ignore_permission_denied=True,
            )
        except (WatchfilesRustInternalError, UnicodeEncodeError) as error:
            raise OSError(str(error)) from error

    def wait(self, timeout_secs: float, stop: threading.Event) -> ReportedChanges | None:
        """Returns the changes since the last call, or None after `timeout_secs` or when `stop` is set.

        Raises OSError if the watch has ended. A file whose name is not UTF-8 ends it, for example.
        """
        timeout_ms = max(1, round(timeout_secs * 1000))
        try:
            reported = self._notify.watch(_DEBOUNCE_MS, _DEBOUNCE_MS, timeout_ms, stop)
        except WatchfilesRustInternalError as error:
            raise OSError(str(error)) from error
        if isinstance(reported, str):  # "timeout", "stop" or "signal"
            return None
        return ReportedChanges(has_added=any(change == Change.added for change, _ in reported))
