"""Endpoints of findings."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial

from lossboard.doctor.api import ROUTES
from lossboard.server.board import BoardState
from lossboard.server.cached_handler import cached_handler
from lossboard.server.endpoint import Endpoint
from lossboard.server.error_responses import with_error_responses
from lossboard.server.response_cache import ResponseCache


def doctor_endpoints(board: BoardState, cache: ResponseCache) -> list[Endpoint]:
    def version() -> Hashable:
        return board.context.logdir.cursor

    return [
        Endpoint(
            "POST",
            path := f"/api/findings/{route.path}",
            with_error_responses(
                cached_handler(cache, path, partial(route.handler, board.doctor, board.context), version)
            ),
            route.summary,
        )
        for route in ROUTES
    ]
