"""Body of a POST request: received within a time limit, parsed as a JSON object."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from lossboard.errors import UsageError
from lossboard.server.error_responses import RequestRejected

_TIMEOUT_SECS = 10


async def read_body(request: Request) -> bytes:
    try:
        return await asyncio.wait_for(request.body(), _TIMEOUT_SECS)
    except TimeoutError as error:
        raise RequestRejected(408, "slow", f"The body did not arrive within {_TIMEOUT_SECS} s.") from error


def parse_params(body: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UsageError("Expected the body to be JSON.") from error
    if not isinstance(document, dict):
        raise UsageError("Expected the body to be a JSON object.")
    return document
