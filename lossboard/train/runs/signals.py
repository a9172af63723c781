"""Ctrl-C and SIGTERM, enabled between two updates: the run is kept up to the last one, and can go on from there."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class GracefulStop:
    """While it is entered, the first signal only sets `requested`; the second one ends the program at once."""

    def __init__(self, *, enabled: bool = True) -> None:
        # Only the main thread may say what a signal does.
        self._enabled = enabled and threading.current_thread() is threading.main_thread()
        self._before: dict[signal.Signals, Any] = {}
        self.requested = False

    def __enter__(self) -> GracefulStop:
        for each in (signal.SIGINT, signal.SIGTERM) if self._enabled else ():
            if signal.getsignal(each) not in (signal.SIG_IGN, None):
                self._before[each] = signal.signal(each, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
