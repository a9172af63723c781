"""Endpoints that describe the board: its runs and tags."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from lossboard.kinds.routes import JsonResult
from lossboard.server.board import BoardState, describe_board, describe_trash
from lossboard.server.endpoint import Endpoint
from lossboard.server.error_responses import with_error_responses
from lossboard.server.request_threads import RequestThreads
from lossboard.server.responses import body_of, body_response
from lossboard.server.tag_lists import describe_tags


def board_endpoints(board: BoardState, threads: RequestThreads) -> list[Endpoint]:
    async def respond(request: Request, describe: Callable[[], object]) -> Response:
        return body_response(request, await threads.run(request, lambda: body_of(JsonResult(describe()))))

    async def get_board(request: Request) -> Response:
        return await respond(request, lambda: describe_board(board))

    async def get_tags(request: Request) -> Response:
        kind = request.query_params.get("kind", "")
        return await respond(request, lambda: describe_tags(board.context, kind))

    async def get_trash(request: Request) -> Response:
        return await respond(request, lambda: describe_trash(board.context))

    return [
        Endpoint("GET", "/api/board", with_error_responses(get_board), "Runs, kinds that have data, saved views"),
        Endpoint("GET", "/api/tags", with_error_responses(get_tags), "Tags of a kind, with their number of runs"),
        Endpoint("GET", "/api/trash", with_error_responses(get_trash), "Deleted runs that can be restored"),
    ]
