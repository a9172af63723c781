"""Endpoints of the kinds' routes: reads parameters, runs the route in a thread, caches the response."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from lossboard.kinds import kinds
from lossboard.kinds.context import Context
from lossboard.kinds.routes import Download, Route, StreamResult
from lossboard.server.cached_handler import cached_handler, read_params
from lossboard.server.endpoint import Endpoint, Handler
from lossboard.server.error_responses import with_error_responses
from lossboard.server.request_threads import RequestThreads
from lossboard.server.response_cache import ResponseCache
from lossboard.server.responses import Body, body_of, body_response, stream_response


def kind_endpoints(context: Context, threads: RequestThreads, cache: ResponseCache) -> list[Endpoint]:
    def version() -> Hashable:
        return context.logdir.cursor, context.annotations.version

    endpoints = []
    for kind in kinds().values():
        for route in kind.routes:
            path = f"/api/{kind.name}/{route.path}"
            match route:
                case Route(cached=True):
                    handler = cached_handler(cache, path, partial(route.handler, context), version)
                case Route() | Download():
                    handler = _uncached_handler(context, threads, route)
            endpoints.append(Endpoint(route.method, path, with_error_responses(handler), route.summary))
    return endpoints


def _uncached_handler(context: Context, threads: RequestThreads, route: Route | Download) -> Handler:
    async def handler(request: Request) -> Response:
        _, parse = await read_params(request)

        def compute() -> Body | StreamResult:
            result = route.handler(context, parse())
            return result if isinstance(result, StreamResult) else body_of(result)

        computed = await threads.run(request, compute)
        return stream_response(computed) if isinstance(computed, StreamResult) else body_response(request, computed)

    return handler
