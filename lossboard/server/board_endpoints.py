"""Endpoints that describe the board: its runs and tags."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor

from starlette.requests import Request
from starlette.responses import Response

from lossboard.server.board import BoardState, describe_board, describe_tags, describe_trash
from lossboard.server.endpoint import Endpoint
from lossboard.server.error_responses import with_error_responses
from lossboard.server.responses import json_response


def board_endpoints(board: BoardState, threads: Executor) -> list[Endpoint]:
    async def get_board(request: Request) -> Response:
        loop = asyncio.get_running_loop()
        return json_response(request, await loop.run_in_executor(threads, describe_board, board))

    async def get_tags(request: Request) -> Response:
        kind = request.query_params.get("kind", "")
        loop = asyncio.get_running_loop()
        return json_response(request, await loop.run_in_executor(threads, describe_tags, board.context, kind))

    async def get_trash(request: Request) -> Response:
        loop = asyncio.get_running_loop()
        return json_response(request, await loop.run_in_executor(threads, describe_trash, board.context))

    return [
        Endpoint("GET", "/api/board", with_error_responses(get_board), "Runs, kinds that have data, saved views"),
        Endpoint("GET", "/api/tags", with_error_responses(get_tags), "Tags of a kind, with their number of runs"),
        Endpoint("GET", "/api/trash", with_error_responses(get_trash), "Deleted runs that can be restored"),
    ]
