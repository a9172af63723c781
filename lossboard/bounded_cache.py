"""LRU cache with a size limit, used by everything that Lossboard caches in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class BoundedCache(Generic[V]):
    """Drops the least recently used values when their sizes exceed `max_size`. Safe to use from several threads."""

    def __init__(self, max_size: int) -> None:
        self.max_size = max_size
        self.size = 0
        self._values: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            if (found := self._values.get(key)) is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: V, *, size: int) -> None:
        """Stores a value, whose size has the unit of `max_size`. A value larger than the limit is not stored."""
        with self._lock:
            if key in self._values:
                self.size -= self._values.pop(key)[1]
            if size > self.max_size:
                return
            self._values[key] = (value, size)
            self.size += size
            while self.size > self.max_size:
                self.size -= self._values.popitem(last=False)[1][1]
