"""Waiting until a logdir may have changed."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

DEBOUNCE_MS = 50


def wait_for_change(roots: Iterable[Path], timeout_secs: float, stop: threading.Event) -> None:
    """Returns at a change below the roots, when `stop` is set, and after `timeout_secs` at the latest.

    Network file systems report nothing, and a watch may fail for want of kernel handles: so a return
    says only that it is time to poll.
    """
    existing = [root for root in roots if root.is_dir()]
    if not existing or not _watch(existing, timeout_secs, stop):
        stop.wait(timeout_secs)


def _watch(roots: list[Path], timeout_secs: float, stop: threading.Event) -> bool:
    """False if the file system cannot be watched."""
    from watchfiles import watch

    changes = watch(
        *roots,
        stop_event=stop,
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        step=DEBOUNCE_MS,
        rust_timeout=max(1, round(timeout_secs * 1000)),
        yield_on_timeout=True,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    try:
        next(changes, None)
    except OSError:
        return False
    return True
