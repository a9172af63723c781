"""The one door through which a kind of data joins Lossboard: what it reads, what it exports, what it serves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run


@dataclass(frozen=True)
class Json:
    """An answer that is a JSON document."""

    document: Any


@dataclass(frozen=True)
class Blob:
    """An answer that is bytes as they were logged, with the type that their magic bytes show."""

    body: bytes
    mime: str
    filename: str | None = None


@dataclass(frozen=True)
class Arrow:
    """An answer of several Arrow tables, each a mapping of column name to numpy array, after a JSON head."""

    head: Any
    tables: Sequence[Mapping[str, Any]]


Answer = Json | Blob | Arrow


@dataclass(frozen=True)
class Route:
    """One address below `/api/<kind>/`, answered without knowing of HTTP."""

    path: str
    answer: Callable[[Logdir, Mapping[str, Any]], Answer]
    summary: str
    method: str = "GET"


@dataclass(frozen=True)
class Kind:
    """One kind of data. `plugins` are the series that belong to it, by the core's plugin name."""

    name: str
    plugins: frozenset[str]
    export: Callable[[Run, str, bool], Iterator[dict[str, Any]]]
    """(run, tag, with hidden points) → export lines, without `run`, `tag`, `kind`."""
    routes: Sequence[Route] = field(default=())
