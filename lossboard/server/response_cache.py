"""Response cache: bodies of route results, kept until the logdir changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Executor

from lossboard.bounded_cache import BoundedCache
from lossboard.kinds.routes import RouteResult
from lossboard.server.responses import Body, body_of

_MAX_BYTES = 32 << 20


class ResponseCache:
    """Computes responses in threads. Equal requests at the same time, or later with an equal key, compute once."""

    def __init__(self, threads: Executor, max_bytes: int = _MAX_BYTES) -> None:
        self._threads = threads
        self._bodies: BoundedCache[Body] = BoundedCache(max_bytes)
        self._in_progress: dict[object, asyncio.Future[Body]] = {}

    async def get(self, key: Hashable, compute: Callable[[], RouteResult]) -> Body:
        if (body := self._bodies.get(key)) is not None:
            return body
        if (future := self._in_progress.get(key)) is None:
            loop = asyncio.get_running_loop()
            future = loop.run_in_executor(self._threads, lambda: body_of(compute()))
            self._in_progress[key] = future
            future.add_done_callback(lambda done: self._store(key, done))
        return await asyncio.shield(future)

    def _store(self, key: Hashable, done: asyncio.Future[Body]) -> None:
        del self._in_progress[key]
        if done.cancelled() or done.exception() is not None:
            return
        body = done.result()
        if len(body.content) <= self._bodies.max_size // 8:
            self._bodies.put(key, body, size=len(body.content))
