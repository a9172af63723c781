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
_MAX_DIGITS = 30


async def read_body(request: Request) -> bytes:
    try:
        return await asyncio.wait_for(request.body(), _TIMEOUT_SECS)
    except TimeoutError as error:
        raise RequestRejected(408, "slow", f"The body did not arrive within {_TIMEOUT_SECS} s.") from error


def parse_params(body: bytes) -> Mapping[str, Any]:
    try:
        document = json.loads(body.decode(), parse_int=_parse_int)
        if b"\\u" in body:
            json.dumps(document, ensure_ascii=False).encode()  # fails for half of a surrogate pair, which is not text
    except (ValueError, RecursionError) as error:
        raise UsageError("Expected the body to be JSON.") from error
    if not isinstance(document, dict):
        raise UsageError("Expected the body to be a JSON object.")
    return document


def _parse_int(text: str) -> int:
    if len(text) > _MAX_DIGITS:  # a larger one cannot become a float
        raise ValueError("too many digits")
    return int(text)
