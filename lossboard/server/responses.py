"""Successful responses: bodies of route results, with the headers that caches and browsers need."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lossboard.kinds.routes import ArrowResult, BlobResult, JsonResult, RouteResult, StreamResult
from lossboard.server import frames

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
        case StreamResult():
            raise TypeError("A route that is cached returned a stream.")


def _blob(content: bytes, mime: str, filename: str | None) -> Body:
    if filename is None and mime.startswith(_SHOWN_INLINE):
        return Body(content, mime)
    return Body(content, mime, attachment_headers(filename or "download"))


def attachment_headers(filename: str) -> dict[str, str]:
    """Returns the headers that make a browser save a response instead of showing it."""
    name = "".join(c for c in filename if c.isascii() and (c.isalnum() or c in "._-"))
    return {"content-disposition": f'attachment; filename="{name}"', "content-security-policy": "sandbox"}


def body_response(request: Request, body: Body) -> Response:
    if request.method == "POST":
        return Response(body.content, media_type=body.mime, headers={"cache-control": "no-store", **body.headers})
    headers = {"cache-control": "no-cache", "etag": body.etag, **body.headers}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    return Response(body.content, media_type=body.mime, headers=headers)


def stream_response(result: StreamResult) -> Response:
    headers = {"cache-control": "no-store", **attachment_headers(result.filename)}
    return StreamingResponse(result.parts, media_type=result.mime, headers=headers)


def json_response(request: Request, document: object) -> Response:
    return body_response(request, body_of(JsonResult(document)))
