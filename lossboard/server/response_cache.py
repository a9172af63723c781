"""Response cache: bodies of route results, kept until the logdir changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable

from lossboard.bounded_cache import BoundedCache
from lossboard.kinds.routes import RouteResult
from lossboard.server.request_threads import Computation, RequestThreads
from lossboard.server.responses import Body, body_of

_MAX_BYTES = 32 << 20
_ENTRY_BYTES = 1000
"""Size of an entry apart from its content, roughly: key, headers and Python objects."""


class ResponseCache:
    """Computes responses in threads. Equal requests at the same time, or later with an equal version, compute once.

    A response replaces that of an earlier version, so growing runs do not fill the cache. Keys must be small, because
    only the content of responses is counted.
    """

    def __init__(self, threads: RequestThreads, max_bytes: int = _MAX_BYTES) -> None:
        self._threads = threads
        self._bodies: BoundedCache[tuple[Hashable, Body]] = BoundedCache(max_bytes)
        self._in_progress: dict[Hashable, Computation[Body]] = {}

    async def get(
        self, key: Hashable, version: Hashable, compute: Callable[[], RouteResult], *, route: str = ""
    ) -> Body:
        if (known := self._bodies.get(key)) is not None and known[0] == version:
            return known[1]
        computation = self._in_progress.get((key, version))
        if computation is None or computation.is_cancelled:
            computation = self._threads.start(lambda: body_of(compute()), route=route)
            self._in_progress[key, version] = started = computation
            computation.future.add_done_callback(lambda done: self._store(key, version, started, done))
        return await computation.wait()

    def _store(
        self, key: Hashable, version: Hashable, computation: Computation[Body], done: asyncio.Future[Body]
    ) -> None:
        if self._in_progress.get((key, version)) is computation:
            del self._in_progress[key, version]
        if done.cancelled() or done.exception() is not None:
            return
        body = done.result()
        size = len(body.content) + _ENTRY_BYTES
        if size <= self._bodies.max_size // 8:
            self._bodies.put(key, (version, body), size=size)
