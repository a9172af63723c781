"""Types of the kind registry. A kind declares the data that it reads, exports and serves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from lossboard.kinds.assets import Asset, asset_series
from lossboard.store.assets import PLUGIN_PREFIX

if TYPE_CHECKING:
    from lossboard.kinds.routes import Download, Route
    from lossboard.kinds.series import Series
    from lossboard.store.assets import AssetFile
    from lossboard.store.run import Run


T = TypeVar("T", covariant=True)


class SeriesReader(Protocol[T]):
    """Reads one series. With `attempts`, it includes points that a restart has superseded."""

    def __call__(self, run: Run, tag: str, /, *, attempts: bool = False) -> T: ...


def _no_fields(point: Any) -> dict[str, Any]:
    return {}


def _stored_tag(tag: str) -> str:
    return tag


@dataclass(frozen=True, kw_only=True)
class _Kind:
    name: str
    fields: Callable[[Any], dict[str, Any]] = _no_fields
    """Returns the fields of a point's export line, apart from run, tag, kind, step and wall time."""
    api: str = ""
    """The module whose `ROUTES` serve this kind. Only the server imports it."""

    @property
    def routes(self) -> Sequence[Route | Download]:
        routes: Sequence[Route | Download] = import_module(self.api).ROUTES if self.api else ()
        return routes


@dataclass(frozen=True, kw_only=True)
class EventKind(_Kind):
    """A kind whose data is in event files."""

    plugins: frozenset[str] = frozenset()
    """The core's plugin names whose series belong to this kind."""
    series: SeriesReader[Any]
    """Returns the points of a visible tag: a `Series`, or the column itself."""
    encoded: SeriesReader[Iterator[str]] | None = None
    """Replaces `fields` if there may be millions of points. Returns lines from `step` on, as JSON without braces."""
    visible_tag: Callable[[str], str | None] = _stored_tag
    """Returns the tag that users see for a stored tag, or None if they do not see it."""

    @property
    def has_stored_tags(self) -> bool:
        """Whether users see each stored tag as it is. Otherwise several stored tags may be one visible tag."""
        return self.visible_tag is _stored_tag


@dataclass(frozen=True, kw_only=True)
class AssetKind(_Kind):
    """A kind whose data is in files next to event files."""

    suffixes: tuple[str, ...]
    """Ends of the names of its files."""
    read: Callable[[AssetFile], Iterable[Asset]]
    """Returns the points in a file. Raises DecodeError if it cannot be read."""

    @property
    def plugin(self) -> str:
        return PLUGIN_PREFIX + self.name

    @property
    def plugins(self) -> frozenset[str]:
        return frozenset({self.plugin})

    def series(self, run: Run, tag: str, /, *, attempts: bool = False) -> Series[Asset]:
        return asset_series(run, self.plugin, tag)

    has_stored_tags = True

    def visible_tag(self, tag: str) -> str | None:
        return tag


Kind: TypeAlias = EventKind | AssetKind
