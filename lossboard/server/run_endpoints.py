"""Endpoints about single runs, and copies of the table of runs."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from lossboard.kinds.routes import JsonResult
from lossboard.server.board import BoardState
from lossboard.server.copied_table import copy_table, parquet_table
from lossboard.server.endpoint import Endpoint
from lossboard.server.error_responses import with_error_responses
from lossboard.server.request_body import parse_params, read_body
from lossboard.server.request_threads import RequestThreads
from lossboard.server.responses import body_of, body_response, stream_response
from lossboard.server.run_details import describe_console, describe_files, describe_runs, download_console


def run_endpoints(board: BoardState, threads: RequestThreads) -> list[Endpoint]:
    async def respond(request: Request, describe: Callable[[], object]) -> Response:
        return body_response(request, await threads.run(request, lambda: body_of(JsonResult(describe()))))

    async def post_details(request: Request) -> Response:
        body = await read_body(request)
        return await respond(request, lambda: describe_runs(board, parse_params(body)))

    async def post_copy(request: Request) -> Response:
        body = await read_body(request)
        return await respond(request, lambda: copy_table(board, parse_params(body)))

    async def post_parquet(request: Request) -> Response:
        body = await read_body(request)
        return body_response(
            request, await threads.run(request, lambda: body_of(parquet_table(board, parse_params(body))))
        )

    async def get_files(request: Request) -> Response:
        return await respond(request, lambda: describe_files(board, request.query_params.get("run", "")))

    async def get_console(request: Request) -> Response:
        return await respond(request, lambda: describe_console(board, request.query_params))

    async def get_console_download(request: Request) -> Response:
        return stream_response(await threads.run(request, lambda: download_console(board, request.query_params)))

    summaries = {
        "/api/runs/files": (get_files, "Files in the folder of a run, and which of them have console output"),
        "/api/runs/console": (get_console, "The end of a run's console output"),
        "/api/runs/console/download": (get_console_download, "A run's console output as a file"),
    }
    posts = {
        "/api/runs/details": (post_details, "Config, environment, metrics and note of some runs"),
        "/api/facts/copy": (post_copy, "A table of runs or groups as Markdown, LaTeX or CSV"),
        "/api/facts/parquet": (post_parquet, "A table of runs or groups as a Parquet file"),
    }
    return [
        *(Endpoint("POST", path, with_error_responses(post), summary) for path, (post, summary) in posts.items()),
        *(Endpoint("GET", path, with_error_responses(get), summary) for path, (get, summary) in summaries.items()),
    ]
