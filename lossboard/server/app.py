"""ASGI application of the board: the route table, the pages of the UI, and the request guard around both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from lossboard.server.board import BoardState
from lossboard.server.board_endpoints import board_endpoints
from lossboard.server.change_endpoints import change_endpoints
from lossboard.server.doctor_endpoints import doctor_endpoints
from lossboard.server.documents import RouteList
from lossboard.server.endpoint import Endpoint, Handler
from lossboard.server.error_responses import unknown_path, wrong_method
from lossboard.server.event_stream import event_stream_endpoint
from lossboard.server.facts_endpoints import facts_endpoints
from lossboard.server.guard import Guard
from lossboard.server.kind_endpoints import kind_endpoints
from lossboard.server.request_threads import RequestThreads
from lossboard.server.response_cache import ResponseCache
from lossboard.server.responses import json_response
from lossboard.server.run_endpoints import run_endpoints
from lossboard.server.static import StaticFiles

_THREADS = 8


def build_app(
    board: BoardState,
    *,
    hosts: frozenset[str],
    any_address: bool = False,
    token: str = "",
    prefix: str = "",
    static: StaticFiles | None = None,
) -> ASGIApp:
    threads = RequestThreads(_THREADS, name="lossboard-request")
    # Changes may wait for another board's lock. In a thread of their own, they never make other requests wait.
    changes = RequestThreads(1, name="lossboard-change")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        board.follower.start()
        board.live_doctor.start()
        yield
        threads.stop()
        changes.stop()
        await asyncio.to_thread(board.context.jobs.close)
        await asyncio.to_thread(board.live_doctor.stop)
        await asyncio.to_thread(board.follower.stop)

    async def on_404(_request: Request, _error: Exception) -> Response:
        return unknown_path()

    async def on_405(_request: Request, _error: Exception) -> Response:
        return wrong_method()

    endpoints = route_table(board, threads, changes)
    routes = [Route(prefix + each.path, each.handler, methods=[each.method]) for each in endpoints]
    if prefix:
        routes.append(Route(prefix, lambda _: RedirectResponse(f"{prefix}/", 308)))
    routes.append(Route(prefix + "/{name:path}", _page_handler(static or StaticFiles(), endpoints), methods=["GET"]))
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={404: on_404, 405: on_405})
    return Guard(app, hosts=hosts, any_address=any_address, token=token, prefix=prefix)


def route_table(board: BoardState, threads: RequestThreads, changes: RequestThreads) -> list[Endpoint]:
    """Returns all endpoints below `/api`."""

    async def list_endpoints(request: Request) -> Response:
        document: RouteList = {
            "routes": [{"method": each.method, "path": each.path, "summary": each.summary} for each in endpoints]
        }
        return json_response(request, document)

    cache = ResponseCache(threads)
    endpoints = [
        Endpoint("GET", "/api", list_endpoints, "This list"),
        *board_endpoints(board, threads),
        event_stream_endpoint(board),
        *run_endpoints(board, threads),
        *change_endpoints(board, changes),
        *facts_endpoints(board, cache),
        *doctor_endpoints(board, cache),
        *kind_endpoints(board.context, threads, cache),
    ]
    return endpoints


def _page_handler(static: StaticFiles, endpoints: list[Endpoint]) -> Handler:
    """Returns the handler of all other GET requests: the files of the UI."""
    paths = {endpoint.path for endpoint in endpoints}

    async def handler(request: Request) -> Response:
        name = request.path_params["name"]
        if not name.startswith("api/"):
            return static.respond(request, name)
        return wrong_method() if f"/{name}" in paths else unknown_path()

    return handler
