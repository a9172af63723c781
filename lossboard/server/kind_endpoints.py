"""Endpoints of the kinds' routes: reads parameters, runs the route in a thread, caches the response."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lossboard.kinds import kinds
from lossboard.kinds.context import Context
from lossboard.kinds.routes import Download, Route, StreamResult
from lossboard.server.endpoint import Endpoint, Handler
from lossboard.server.error_responses import with_error_responses
from lossboard.server.request_body import parse_params, read_body
from lossboard.server.request_threads import RequestThreads, while_connected
from lossboard.server.response_cache import ResponseCache
from lossboard.server.responses import Body, body_of, body_response, stream_response


def kind_endpoints(context: Context, threads: RequestThreads) -> list[Endpoint]:
    cache = ResponseCache(threads)
    endpoints = []
    for kind in kinds().values():
        for route in kind.routes:
            path = f"/api/{kind.name}/{route.path}"
            match route:
                case Route(cached=True):
                    handler = _route_handler(context, cache, path, route)
                case Route() | Download():
                    handler = _uncached_handler(context, threads, route)
            endpoints.append(Endpoint(route.method, path, with_error_responses(handler), route.summary))
    return endpoints


def _route_handler(context: Context, cache: ResponseCache, path: str, route: Route) -> Handler:
    async def handler(request: Request) -> Response:
        raw, parse = await _params(request)
        # A request may be a megabyte long, and a key is kept with the response.
        digest = hashlib.blake2b(raw, digest_size=32).digest()
        version = (context.logdir.cursor, context.annotations.version)
        work = cache.get((path, digest), version, lambda: route.handler(context, parse()))
        body = await while_connected(request, work)
        return body_response(request, body)

    return handler


def _uncached_handler(context: Context, threads: RequestThreads, route: Route | Download) -> Handler:
    async def handler(request: Request) -> Response:
        _, parse = await _params(request)

        def compute() -> Body | StreamResult:
            result = route.handler(context, parse())
            return result if isinstance(result, StreamResult) else body_of(result)

        computed = await threads.run(request, compute)
        return stream_response(computed) if isinstance(computed, StreamResult) else body_response(request, computed)

    return handler


async def _params(request: Request) -> tuple[bytes, Callable[[], Mapping[str, Any]]]:
    """Returns the parameters as sent, which identify the request in the cache, and a function that parses them."""
    if request.method == "POST":
        body = await read_body(request)
        return body, lambda: parse_params(body)
    return request.url.query.encode(), lambda: dict(request.query_params)
