"""The one door through which a kind of data joins Lossboard: what it reads, what it exports, what it serves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from lossboard.kinds.assets import Asset, Folder
    from lossboard.kinds.routes import Download, Route
    from lossboard.store.run import Run


T = TypeVar("T", covariant=True)


class SeriesReader(Protocol[T]):
    """Something made of one series; with `attempts`, of the points too that a restart has hidden."""

    def __call__(self, run: Run, tag: str, /, *, attempts: bool = False) -> T: ...


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of data: in event files (`plugins`, `series`), or in files beside them (`beside`)."""

    name: str
    plugins: frozenset[str] = frozenset()
    """The core's plugin names whose series belong to this kind."""
    series: SeriesReader[Any] | None = None
    """A tag's points: a `Series`, or the column itself."""
    fields: Callable[[Any], dict[str, Any]] | None = None
    """A decoded point → what its export line has beyond run, tag, kind, step and wall time."""
    encoded: SeriesReader[Iterator[str]] | None = None
    """Instead of `fields`, for millions of points: what each line has from `step` on, as JSON text without braces."""
    tags: Callable[[Run], list[str]] | None = None
    """The tags as people see them, where they are not simply those of the series."""
    beside: Callable[[Folder], Iterable[Asset]] | None = None
    """What of this kind lies in a folder."""
    api: str = ""
    """The module whose `ROUTES` serve this kind; imported by the server only."""

    @property
    def routes(self) -> Sequence[Route | Download]:
        routes: Sequence[Route | Download] = import_module(self.api).ROUTES if self.api else ()
        return routes
