"""Response cache: bodies of route results, kept until the logdir changes."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field

from lossboard.bounded_cache import BoundedCache
from lossboard.kinds.routes import ArrowResult, BlobResult, JsonResult, RouteResult
from lossboard.server import frames

_MAX_BYTES = 32 << 20
# Types that a browser shows without running scripts in them. Logs are hostile and never choose their type.
_SHOWN_INLINE = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "audio/", "video/", "text/plain")


@dataclass(frozen=True)
class Body:
    """HTTP body with its headers."""

    content: bytes
    mime: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def etag(self) -> str:
        return f'"{hashlib.blake2b(self.content, digest_size=12).hexdigest()}"'


def body_of(result: RouteResult) -> Body:
    match result:
        case JsonResult(document):
            return Body(frames.json_bytes(document), "application/json")
        case ArrowResult(head, tables):
            return Body(frames.frames(head, tables), frames.MIME)
        case BlobResult(content, mime, filename):
            return _blob(content, mime, filename)


def _blob(content: bytes, mime: str, filename: str | None) -> Body:
    if filename is None and mime.startswith(_SHOWN_INLINE):
        return Body(content, mime)
    return Body(content, mime, attachment_headers(filename or "download"))


def attachment_headers(filename: str) -> dict[str, str]:
    """Returns the headers that make a browser save a response instead of showing it."""
    name = "".join(c for c in filename if c.isascii() and (c.isalnum() or c in "._-"))
    return {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}


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
