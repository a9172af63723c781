"""Cancellation of requests: a route handler that works long ends early if nobody waits for its result."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_thread = threading.local()


class Cancelled(Exception):
    """The client of a request disconnected, or the server stops."""


def run_cancellable(compute: Callable[[], T], cancelled: threading.Event) -> T:
    """Computes in this thread. Setting `cancelled` makes the next `check_cancelled` of the computation raise."""
    _thread.cancelled = cancelled
    try:
        check_cancelled()
        return compute()
    finally:
        _thread.cancelled = None


def check_cancelled() -> None:
    """Raises Cancelled if the request of this thread was cancelled. Call it at least every tenth of a second."""
    cancelled = getattr(_thread, "cancelled", None)
    if cancelled is not None and cancelled.is_set():
        raise Cancelled
