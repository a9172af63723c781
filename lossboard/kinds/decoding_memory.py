"""Memory that requests decode into. Several large images or clips at once would fill the memory, so they take turns."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lossboard.kinds.cancellation import check_cancelled

_MAX_BYTES = 512 << 20
_CHECK_SECS = 0.05


class DecodingMemory:
    """Limits the memory that requests decode into at the same time."""

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._reserved = 0
        self._changed = threading.Condition()

    @contextmanager
    def reserve(self, size: int) -> Iterator[None]:
        """Waits until there is enough memory. One that needs more than the limit waits until nobody else decodes."""
        with self._changed:
            while self._reserved and self._reserved + size > self._max_bytes:
                check_cancelled()
                self._changed.wait(_CHECK_SECS)
            self._reserved += size
        try:
            yield
        finally:
            with self._changed:
                self._reserved -= size
                self._changed.notify_all()
