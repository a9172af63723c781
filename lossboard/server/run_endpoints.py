"""Endpoints about single runs: details, files and console output."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import Response

from lossboard.kinds.routes import JsonResult
from lossboard.server.board import BoardState
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
    details = "Config, environment, metrics and note of some runs"
    return [
        Endpoint("POST", "/api/runs/details", with_error_responses(post_details), details),
        *(Endpoint("GET", path, with_error_responses(get), summary) for path, (get, summary) in summaries.items()),
    ]
