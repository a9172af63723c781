"""Answers of kinds as HTTP bodies, kept for as long as the logdir has not changed."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field

from lossboard.kinds.routes import ArrowResult, BlobResult, JsonResult, RouteResult
from lossboard.server import frames

_KEPT_BYTES = 32 << 20
# Types that a browser shows without running anything in them. What is logged is hostile: it never chooses its type.
_SHOWN_INLINE = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "audio/", "video/", "text/plain")


@dataclass(frozen=True)
class Body:
    """An answer ready to be sent."""

    content: bytes
    mime: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def etag(self) -> str:
        return f'"{hashlib.blake2b(self.content, digest_size=12).hexdigest()}"'


def body_of(answer: RouteResult) -> Body:
    match answer:
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
    """The headers of what is to be saved, and never shown."""
    name = "".join(c for c in filename if c.isascii() and (c.isalnum() or c in "._-"))
    return {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}


class ResponseCache:
    """Works answers out in threads; equal questions at one cursor are worked out once."""

    def __init__(self, threads: Executor, max_bytes: int = _KEPT_BYTES) -> None:
        self._threads = threads
        self._max_bytes = max_bytes
        self._bytes = 0
        self._kept: OrderedDict[object, Body] = OrderedDict()
        self._under_way: dict[object, asyncio.Future[Body]] = {}

    async def get(self, key: object, work: Callable[[], RouteResult]) -> Body:
        if (kept := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return kept
        if (under_way := self._under_way.get(key)) is None:
            loop = asyncio.get_running_loop()
            under_way = loop.run_in_executor(self._threads, lambda: body_of(work()))
            self._under_way[key] = under_way
            under_way.add_done_callback(lambda done: self._done(key, done))
        return await asyncio.shield(under_way)

    def _done(self, key: object, done: asyncio.Future[Body]) -> None:
        del self._under_way[key]
        if done.cancelled() or done.exception() is not None:
            return
        body = done.result()
        if len(body.content) > self._max_bytes // 8:
            return
        self._kept[key] = body
        self._bytes += len(body.content)
        while self._bytes > self._max_bytes:
            self._bytes -= len(self._kept.popitem(last=False)[1].content)
