"""Endpoint: one row of the server's route table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from starlette.requests import Request
from starlette.responses import Response

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Endpoint:
    """A method and a path below the prefix, with the handler of its requests."""

    method: str
    path: str
    handler: Handler
    summary: str
    """One line for `GET /api`."""
