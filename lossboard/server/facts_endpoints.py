"""Endpoints of facts, queries, groups and hyperparameters."""

from __future__ import annotations

import time
from collections.abc import Hashable
from functools import partial

from lossboard.select import api, trials_api
from lossboard.server.board import BoardState
from lossboard.server.cached_handler import cached_handler
from lossboard.server.endpoint import Endpoint
from lossboard.server.error_responses import with_error_responses
from lossboard.server.response_cache import ResponseCache

FACTS_ROUTES = (*api.ROUTES, *trials_api.ROUTES)
_SECS_PER_VERSION = 60
"""Times such as `7d ago` pass while nothing changes."""


def facts_endpoints(board: BoardState, cache: ResponseCache) -> list[Endpoint]:
    context = board.context

    def version() -> Hashable:
        minute = int(time.time() // _SECS_PER_VERSION)
        return context.logdir.cursor, context.annotations.version, board.follower.states_version, minute

    return [
        Endpoint(
            "POST",
            path := f"/api/{route.path}",
            with_error_responses(cached_handler(cache, path, partial(route.handler, board.facts), version)),
            route.summary,
        )
        for route in FACTS_ROUTES
    ]
