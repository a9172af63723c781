"""HTTP routes of a kind, without HTTP: a handler takes checked input and returns a `RouteResult`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from lossboard.kinds.context import Context


D = TypeVar("D", covariant=True)


@dataclass(frozen=True)
class JsonResult(Generic[D]):
    """A JSON document. Handlers name its type in their signature: the HTTP contract is generated from it."""

    document: D


@dataclass(frozen=True)
class BlobResult:
    """Bytes as logged, with the media type detected from them."""

    body: bytes
    mime: str
    filename: str | None = None


@dataclass(frozen=True)
class ArrowResult(Generic[D]):
    """A JSON head and several Arrow tables, each a mapping of column name to numpy array."""

    head: D
    tables: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class StreamResult:
    """A download of any length, produced while it is sent."""

    parts: Iterator[bytes]
    mime: str
    filename: str


RouteResult: TypeAlias = JsonResult[Any] | BlobResult | ArrowResult[Any] | StreamResult


@dataclass(frozen=True)
class Route:
    """A path below `/api/<kind>/`. The server caches its results until the logdir changes, unless `cached` is false.

    Only a route that is not cached may return a StreamResult.
    """

    path: str
    handler: Callable[[Context, Mapping[str, Any]], RouteResult]
    summary: str
    method: str = "GET"
    cached: bool = True


@dataclass(frozen=True)
class Download:
    """A path below `/api/<kind>/` whose response the browser saves to a file. It is never cached."""

    path: str
    handler: Callable[[Context, Mapping[str, Any]], StreamResult]
    summary: str
    method: str = "POST"
