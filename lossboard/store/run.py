"""Run: its series, superseded points and corrupt records."""

from __future__ import annotations

import builtins
import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from lossboard.errors import LogdirError, TooLarge, did_you_mean
from lossboard.store.column import Column, Points, without_restarts
from lossboard.store.run_ids import run_id

if TYPE_CHECKING:
    from lossboard import _core
    from lossboard.store.assets import AssetIndex, AssetPoint, RunAssets

T = TypeVar("T")

Key = tuple[str, str]
"""(plugin, tag)"""


NO_LIMIT = (1 << 64) - 1
NOT_AN_EVENT_FILE = "not an event file"
"""What the core notes of a file without one record."""
_MAX_LOCATIONS = 100


@dataclass(slots=True)  # not frozen, because that makes it three times slower, and a logdir may have millions
class SeriesInfo:
    plugin: str
    tag: str
    count: int
    hidden: int
    first_step: int | None
    """None if no point is visible."""
    last_step: int | None
    last_value: float | None
    """None if the series is not scalar, or no point is visible."""
    changed_at: int
    """Cursor of the logdir when the series last changed."""


class Damage(NamedTuple):
    file: str
    offset: int
    bytes: int
    why: str


@dataclass(frozen=True, slots=True)
class Health:
    """Skipped corrupt records. `places` has the first hundred locations, `records` and `bytes` count all.

    `notes` has files that are not event files or end inside a record, as after a crash. They are not counted.
    """

    records: int
    bytes: int
    places: list[Damage]
    notes: list[Damage]


class _Overview(NamedTuple):
    """Facts about a run as of one version."""

    version: int
    start: float | None
    last: float | None
    last_event: float | None
    is_finished: bool
    changed_at: int
    bytes: int
    tags: int

    @classmethod
    def of(cls, native: _core.Run, version: int) -> _Overview:
        summary = native.summary()
        times = summary.start, summary.last, summary.last_event
        return cls(version, *times, native.is_finished, summary.changed_at, summary.bytes, summary.tags)


class References(Points):
    """Points whose data stays in the file until `read`."""

    __slots__ = ("_native",)

    def __init__(self, native: _core.Points, *, attempts: bool = False) -> None:
        super().__init__(native, attempts=attempts)
        self._native = native

    def read(self, index: int, max_bytes: int = NO_LIMIT) -> bytes:
        """Returns the Summary.Value message of a point, or the GraphDef of a run's graph.

        Raises TooLarge, without reading it, if it is larger than `max_bytes`.
        """
        try:
            return self._native.read(index if index >= 0 else index + len(self), max_bytes)
        except OverflowError as error:
            size_mb, max_mb = int(str(error)) / 1e6, max_bytes / 1e6
            raise TooLarge(f"This point has {size_mb:.0f} MB, more than the limit of {max_mb:.0f} MB.") from None
        except (OSError, ValueError) as error:
            raise LogdirError(f"Cannot read point {index}: {error}") from error

    def __iter__(self) -> Iterator[tuple[int, float, bytes]]:
        for index, (step, wall_time) in enumerate(zip(self.steps, self.wall_times, strict=True)):
            yield int(step), float(wall_time), self.read(index)


class Run:
    """One run. Reading it is safe while another thread polls."""

    __slots__ = ("_assets", "_native", "_overview", "id", "name", "version")

    def __init__(self, native: _core.Run, assets: AssetIndex) -> None:
        self._native = native
        self._assets = assets
        self.name = native.name
        self.id = run_id(native.name)
        self.version = 0
        """Number of polls that changed the run. The properties below are those of this version."""
        self._overview: _Overview | None = None

    def __repr__(self) -> str:
        return f"<Run {self.name!r}>"

    @property
    def path(self) -> Path:
        return Path(self.directory)

    @property
    def directory(self) -> str:
        """The path as text."""
        return self._native.path

    @property
    def files(self) -> list[Path]:
        """The event files in the order in which they are read."""
        return [self.path / name for name in self._native.files()]

    @property
    def start(self) -> float | None:
        """Wall time of the first event, or of the first point if that is earlier."""
        return self._current.start

    @property
    def last(self) -> float | None:
        """Newest wall time of a point."""
        return self._current.last

    @property
    def last_event(self) -> float | None:
        """Newest wall time, also of an event without data, such as the header of a file."""
        return self._current.last_event

    @property
    def is_finished(self) -> bool:
        """Whether the run ends with a SessionLog STOP. A later event cancels it."""
        return self._current.is_finished

    @property
    def changed_at(self) -> int:
        """Cursor of the logdir when the run last changed."""
        return self._current.changed_at

    @property
    def bytes(self) -> int:
        return self._current.bytes

    @property
    def series_count(self) -> int:
        return self._current.tags + len(self.assets.series)

    @property
    def _current(self) -> _Overview:
        # Asking the core takes ten times as long, and a board asks it for every run.
        known, version = self._overview, self.version
        if known is None or known.version != version:
            known = self._overview = _Overview.of(self._native, version)
        return known

    @property
    def health(self) -> Health:
        summary, damage = self._native.summary(), self.assets.damage
        places, notes = _as_damage(self._native.places()), _as_damage(self._native.notes())
        skipped_bytes = summary.skipped_bytes + sum(place.bytes for place in damage)
        records = summary.skipped_records + len(damage)
        return Health(records, skipped_bytes, [*places, *damage][:_MAX_LOCATIONS], notes[:_MAX_LOCATIONS])

    def index(self) -> list[SeriesInfo]:
        """Returns all series, ordered by tag."""
        return list(self.rows(SeriesInfo))

    def rows(self, make: Callable[[str, str, int, int, int | None, int | None, float | None, int], T]) -> Iterator[T]:
        """Yields `make(…)` for each series, ordered by tag, with the fields of SeriesInfo. There may be a million."""
        if not (series := self.assets.series):
            return self._native.index(make)
        rows = (
            (plugin, tag, len(one.points), 0, one.points[0].step, one.points[-1].step, None, one.changed_at)
            for (plugin, tag), one in series.items()
        )
        both = heapq.merge(self._native.index(lambda *row: row), rows, key=lambda row: (row[1], row[0]))
        return (make(*row) for row in both)

    def series(self) -> Iterator[Key]:
        """Yields (plugin, tag) of all series, ordered by tag."""
        return self.rows(lambda plugin, tag, *_: (plugin, tag))

    def has(self, plugin: str, tag: str) -> bool:
        return self._native.has(plugin, tag) or (plugin, tag) in self.assets.series

    @property
    def assets(self) -> RunAssets:
        """The series in files next to the event files. Files that changed are read when this is next requested."""
        return self._assets.current

    def invalidate_changed_assets(self) -> None:
        """Makes the next poll report assets that name a changed file. Call it only in the thread that polls."""
        self._assets.invalidate_changed_links()

    def asset_points(self, plugin: str, tag: str) -> tuple[AssetPoint, ...]:
        """Returns the points of an asset series, in the order of their file names."""
        series = self.assets.series.get((plugin, tag))
        if series is None:
            raise LookupError(self._no_series(plugin, tag))
        return series.points

    def changed_since(self, cursor: int) -> frozenset[Key]:
        """Returns the series that changed after a cursor, including assets that were removed."""
        rows = self.rows(lambda plugin, tag, *rest: (plugin, tag) if rest[-1] > cursor else None)
        changed = frozenset(key for key in rows if key is not None)
        return changed | self.assets.removed if self.assets.cursor > cursor else changed

    def metadata(self, tag: str) -> builtins.bytes:
        """Returns the first SummaryMetadata of a tag, or b"" if it has none."""
        try:
            return self._native.metadata(tag)
        except (OSError, ValueError) as error:
            raise LogdirError(f"Cannot read the metadata of {tag!r} in run {self.name!r}: {error}") from error

    def column(self, tag: str, *, repeated_steps: bool = False) -> Column:
        """Returns the visible points of a scalar series.

        With `repeated_steps`, it includes points that a later point at the same step superseded, in file order.
        """
        if repeated_steps:
            return without_restarts(cast("Column", self.attempts("scalars", tag)))
        native = self._native.points("scalars", tag)
        if native is None:
            raise LookupError(self._no_series("scalars", tag))
        return Column(native)

    def references(self, plugin: str, tag: str) -> References:
        """Returns the visible points of a series that is not scalar."""
        native = self._native.points(plugin, tag) if plugin != "scalars" else None
        if native is None:
            raise LookupError(self._no_series(plugin, tag))
        return References(native)

    def attempts(self, plugin: str, tag: str) -> Column | References:
        """Returns all points in file order, including superseded ones."""
        native = self._native.attempts(plugin, tag)
        if native is None:
            raise LookupError(self._no_series(plugin, tag))
        return Column(native, attempts=True) if plugin == "scalars" else References(native, attempts=True)

    def _no_series(self, plugin: str, tag: str) -> str:
        similar = did_you_mean(tag, (other for _, other in self.series()))
        return f"No {plugin or 'tensor'} series {tag!r} in run {self.name!r}.{similar} run.tags lists the tags."


def _as_damage(places: list[_core.Place]) -> list[Damage]:
    return [Damage(place.file, place.offset, place.bytes, place.why) for place in places]
