"""Ctrl-C and SIGTERM, heard between two updates: the run is kept up to the last one, and can go on from there."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interruption:
    """While it is entered, the first signal only sets `asked`; the second one ends the program at once."""

    def __init__(self, *, heard: bool = True) -> None:
        # Only the main thread may say what a signal does.
        self._heard = heard and threading.current_thread() is threading.main_thread()
        self._before: dict[signal.Signals, Any] = {}
        self.asked = False

    def __enter__(self) -> Interruption:
        for each in (signal.SIGINT, signal.SIGTERM) if self._heard else ():
            if signal.getsignal(each) not in (signal.SIG_IGN, None):
                self._before[each] = signal.signal(each, self._note)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
