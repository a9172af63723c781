"""Limits of a request: it ends early if no client waits for its result, or if it takes more CPU time than it may."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from lossboard.errors import UsageError

T = TypeVar("T")

MAX_CPU_SECS = 5.0
"""CPU time that a request may take. What its size tells beforehand is rejected earlier, by the routes."""


class Cancelled(Exception):
    """The client of a request disconnected, or the server stops."""


class TooMuchWork(UsageError):
    """The request takes more CPU time than it may."""


@dataclass(frozen=True, slots=True)
class _Limits:
    cancelled: threading.Event
    last_cpu_secs: float
    """CPU time of the thread at which the request must have ended."""


_thread = threading.local()


def run_cancellable(compute: Callable[[], T], cancelled: threading.Event, *, max_cpu_secs: float = MAX_CPU_SECS) -> T:
    """Computes in this thread. Setting `cancelled` makes the next `check_cancelled` of the computation raise."""
    _thread.limits = _Limits(cancelled, time.thread_time() + max_cpu_secs)
    try:
        check_cancelled()
        return compute()
    finally:
        _thread.limits = None


def check_cancelled() -> None:
    """Raises Cancelled if the request of this thread was cancelled, and TooMuchWork if its time is up.

    Call it at least every tenth of a second.
    """
    check_abandoned()
    limits = _limits()
    if limits is not None and time.thread_time() > limits.last_cpu_secs:
        raise TooMuchWork("This request takes too much computing time. Select fewer runs, tags or steps.")


def check_abandoned() -> None:
    """Raises Cancelled if the request of this thread was cancelled.

    For work that may take long because it is done once: what it has found until then is kept for the next request.
    """
    limits = _limits()
    if limits is not None and limits.cancelled.is_set():
        raise Cancelled


def _limits() -> _Limits | None:
    return getattr(_thread, "limits", None)
