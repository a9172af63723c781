"""Endpoints that change something: annotations of runs, saved views, deleted runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from lossboard.errors import UsageError
from lossboard.kinds.context import Context
from lossboard.server.board import BoardState
from lossboard.server.endpoint import Endpoint
from lossboard.server.error_responses import with_error_responses
from lossboard.server.frames import json_bytes
from lossboard.server.live import ChangeSet
from lossboard.server.request_body import parse_params, read_body
from lossboard.server.request_threads import RequestThreads

if TYPE_CHECKING:
    from lossboard.store.run import Run

Change: TypeAlias = Callable[[Context, Mapping[str, Any]], Mapping[str, str] | None]
"""Applies the parameters of a request. Returns the document of the response, or None for an empty one."""


def change_endpoints(board: BoardState, threads: RequestThreads) -> list[Endpoint]:
    def endpoint(path: str, change: Change, summary: str) -> Endpoint:
        async def handler(request: Request) -> Response:
            params = parse_params(await read_body(request))
            # Not cancelled if the client disconnects: open pages must hear of the change.
            document = await threads.start(lambda: change(board.context, params)).wait()
            board.follower.publish(ChangeSet(sidecar=True))
            return Response(json_bytes(document or {}), media_type="application/json")

        return Endpoint("POST", path, with_error_responses(handler), summary)

    return [
        endpoint("/api/runs/edit", _edit_runs, "Sets names, notes, tags and colors of runs"),
        endpoint("/api/runs/delete", _delete_runs, "Moves runs to the trash in the logdir"),
        endpoint("/api/runs/undelete", _undelete_runs, "Restores deleted runs"),
        endpoint("/api/trash/remove", _remove_deleted, "Deletes runs of the trash for good"),
        endpoint("/api/views/save", _save_view, "Saves a view under a name"),
        endpoint("/api/views/delete", _delete_view, "Deletes a saved view"),
    ]


def _edit_runs(context: Context, params: Mapping[str, Any]) -> None:
    context.annotations.edit(_runs(context, params), params.get("set"))


def _delete_runs(context: Context, params: Mapping[str, Any]) -> dict[str, str]:
    runs = _runs(context, params)
    if not runs:
        raise LookupError("No such run. It may have been deleted already.")
    return {"undo": context.annotations.delete(runs)}


def _undelete_runs(context: Context, params: Mapping[str, Any]) -> None:
    context.annotations.undelete(params.get("undo"))


def _remove_deleted(context: Context, params: Mapping[str, Any]) -> None:
    context.annotations.remove_deleted(params.get("undo"))


def _save_view(context: Context, params: Mapping[str, Any]) -> None:
    context.annotations.save_view(params.get("name"), params.get("state"))


def _delete_view(context: Context, params: Mapping[str, Any]) -> None:
    context.annotations.delete_view(params.get("name"))


def _runs(context: Context, params: Mapping[str, Any]) -> list[Run]:
    ids = params.get("ids")
    if not isinstance(ids, list):
        raise UsageError('Expected "ids" to be a list of run ids.')
    return context.select_runs({"only": ids})
