"""Endpoints of the kinds' routes: reads parameters, runs the route in a thread, caches the response."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lossboard.kinds import kinds
from lossboard.kinds.context import Context
from lossboard.kinds.routes import Download, Route
from lossboard.server.endpoint import Endpoint, Handler
from lossboard.server.error_responses import with_error_responses
from lossboard.server.request_body import parse_params, read_body
from lossboard.server.response_cache import ResponseCache
from lossboard.server.responses import attachment_headers, body_of, body_response


def kind_endpoints(context: Context, threads: Executor) -> list[Endpoint]:
    cache = ResponseCache(threads)
    endpoints = []
    for kind in kinds().values():
        for route in kind.routes:
            path = f"/api/{kind.name}/{route.path}"
            match route:
                case Route(cached=True):
                    handler = _route_handler(context, cache, path, route)
                case Route():
                    handler = _uncached_handler(context, threads, route)
                case Download():
                    handler = _download_handler(context, threads, route)
            endpoints.append(Endpoint(route.method, path, with_error_responses(handler), route.summary))
    return endpoints


def _route_handler(context: Context, cache: ResponseCache, path: str, route: Route) -> Handler:
    async def handler(request: Request) -> Response:
        raw, parse = await _params(request)
        key = (path, raw, context.logdir.cursor, context.annotations.version)
        return body_response(request, await cache.get(key, lambda: route.handler(context, parse())))

    return handler


def _uncached_handler(context: Context, threads: Executor, route: Route) -> Handler:
    async def handler(request: Request) -> Response:
        _, parse = await _params(request)
        loop = asyncio.get_running_loop()
        body = await loop.run_in_executor(threads, lambda: body_of(route.handler(context, parse())))
        return body_response(request, body)

    return handler


def _download_handler(context: Context, threads: Executor, route: Download) -> Handler:
    async def handler(request: Request) -> Response:
        _, parse = await _params(request)
        loop = asyncio.get_running_loop()
        result = await loop.run_in_executor(threads, lambda: route.handler(context, parse()))
        headers = {"cache-control": "no-store", **attachment_headers(result.filename)}
        return StreamingResponse(result.parts, media_type=result.mime, headers=headers)

    return handler


async def _params(request: Request) -> tuple[bytes, Callable[[], Mapping[str, Any]]]:
    """Returns the parameters as sent, which identify the request in the cache, and a function that parses them."""
    if request.method == "POST":
        body = await read_body(request)
        return body, lambda: parse_params(body)
    return request.url.query.encode(), lambda: dict(request.query_params)
