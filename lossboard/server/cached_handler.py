"""Handler of a route whose responses are cached."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lossboard.kinds.routes import RouteResult
from lossboard.server.endpoint import Handler
from lossboard.server.request_body import parse_params, read_body
from lossboard.server.request_threads import while_connected
from lossboard.server.response_cache import ResponseCache
from lossboard.server.responses import body_response


def cached_handler(
    cache: ResponseCache,
    path: str,
    compute: Callable[[Mapping[str, Any]], RouteResult],
    version: Callable[[], Hashable],
) -> Handler:
    """Returns a handler that computes a response once for each version of the data."""

    async def handler(request: Request) -> Response:
        raw, parse = await read_params(request)
        # A request may be a megabyte long, and a key is kept with the response.
        digest = hashlib.blake2b(raw, digest_size=32).digest()
        work = cache.get((path, digest), version(), lambda: compute(parse()), route=path)
        body = await while_connected(request, work)
        return body_response(request, body)

    return handler


async def read_params(request: Request) -> tuple[bytes, Callable[[], Mapping[str, Any]]]:
    """Returns the parameters as sent, which identify the request in the cache, and a function that parses them."""
    if request.method == "POST":
        body = await read_body(request)
        return body, lambda: parse_params(body)
    return request.url.query.encode(), lambda: dict(request.query_params)
