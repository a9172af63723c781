"""Graceful stop on Ctrl-C and SIGTERM: the run finishes its step and saves a checkpoint."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class GracefulStop:
    """Context in which the first signal only sets `requested`. The second one stops the program at once.

    With `hold_after_error`, this stays so after an error has ended the context. torchrun terminates all workers as soon
    as one has failed, and a worker that notices the failure at that moment must live to record and print it.
    """

    def __init__(self, *, hold_after_error: bool = False) -> None:
        # Only the main thread may install signal handlers.
        self._enabled = threading.current_thread() is threading.main_thread()
        self._hold_after_error = hold_after_error
        self._before: dict[signal.Signals, Any] = {}
        self.requested = False

    def __enter__(self) -> GracefulStop:
        for each in (signal.SIGINT, signal.SIGTERM) if self._enabled else ():
            if signal.getsignal(each) not in (signal.SIG_IGN, None):
                self._before[each] = signal.signal(each, self._handle)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._hold_after_error and isinstance(error, Exception):
            return
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
