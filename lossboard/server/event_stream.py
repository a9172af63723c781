"""Event stream: tells open pages about changes, as Server-Sent Events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from lossboard.server.board import BoardState
from lossboard.server.endpoint import Endpoint
from lossboard.server.error_responses import error_response
from lossboard.server.frames import json_bytes
from lossboard.server.live import ChangeSet, grew_message

_HEARTBEAT_SECS = 15
_HEARTBEAT = b":\n\n"
_RECONNECT = b"retry: 1000\n\n"


def event_stream_endpoint(board: BoardState) -> Endpoint:
    async def handler(_: Request) -> Response:
        if board.follower.is_full:
            return error_response(503, "busy", "Too many open pages. Close some of them.")
        if board.follower.is_failing:
            return error_response(503, "failing", "Reading the logdir failed. The log in the terminal has the details.")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(_events(board), media_type="text/event-stream", headers=headers)

    return Endpoint("GET", "/api/live", handler, "Server-Sent Events: growth, added and removed runs")


async def _events(board: BoardState) -> AsyncIterator[bytes]:
    with board.follower.subscribe() as subscription:
        yield _RECONNECT
        # Changes before the subscription are not sent, so a page compares this cursor with the one that it has.
        loading = not board.follower.loaded.is_set()
        yield _event("at", {"cursor": board.context.logdir.cursor, "loading": loading})
        while not subscription.closed:
            changes = await subscription.next(_HEARTBEAT_SECS)
            if changes is None:
                yield _HEARTBEAT
            elif not subscription.closed:
                if not changes.messages:
                    changes.messages.extend(_change_events(board, changes))
                for event in changes.messages:
                    yield event


def _change_events(board: BoardState, changes: ChangeSet) -> Iterator[bytes]:
    if changes.grown:
        yield _event("grew", grew_message(changes, board.context.logdir.runs, board.follower.state))
    if changes.runs:
        yield _event("runs", {})
    if changes.sidecar:
        yield _event("sidecar", {})


def _event(name: str, data: Any) -> bytes:
    return b"event: %s\ndata: %s\n\n" % (name.encode(), json_bytes(data))
