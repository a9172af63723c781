"""Series of a run that has very many of them. A million of them in Python objects would take 400 MB."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING

from lossboard.store.run import SeriesInfo

if TYPE_CHECKING:
    from lossboard.store.run import Key, Run

MIN_SERIES = 20_000


class ManySeries(Mapping["Key", SeriesInfo]):
    """The series as the run has them now, read from the core when they are needed."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.count = run.series_count
        self.changed_at = run.changed_at
        """Count and cursor when this object was made. All else is as of now."""

    def __contains__(self, key: object) -> bool:
        return isinstance(key, tuple) and self._run.has(*key)

    def __getitem__(self, key: Key) -> SeriesInfo:
        plugin, tag = key
        if not self._run.has(plugin, tag):
            raise KeyError(key)
        if (asset := self._run.assets.series.get(key)) is not None:
            points = asset.points
            return SeriesInfo(plugin, tag, len(points), 0, points[0].step, points[-1].step, None, asset.changed_at)
        is_scalar = plugin == "scalars"
        visible = self._run.column(tag) if is_scalar else self._run.references(plugin, tag)
        hidden = len(self._run.attempts(plugin, tag)) - len(visible)
        steps = visible.steps
        return SeriesInfo(
            plugin,
            tag,
            len(steps),
            hidden,
            int(steps[0]) if len(steps) else None,
            int(steps[-1]) if len(steps) else None,
            float(self._run.column(tag).values[-1]) if is_scalar and len(steps) else None,
            self._run.changed_at,
        )

    def __iter__(self) -> Iterator[Key]:
        return self._run.series()

    def __len__(self) -> int:
        return self._run.series_count

    def changed_since(self, cursor: int) -> frozenset[Key]:
        return self._run.changed_since(cursor)

    def items(self) -> ItemsView[Key, SeriesInfo]:
        return _Items(self)

    def values(self) -> ValuesView[SeriesInfo]:
        return _Values(self)

    def infos(self) -> Iterator[SeriesInfo]:
        return self._run.rows(SeriesInfo)


class _Items(ItemsView["Key", SeriesInfo]):
    _mapping: ManySeries

    def __iter__(self) -> Iterator[tuple[Key, SeriesInfo]]:
        return (((info.plugin, info.tag), info) for info in self._mapping.infos())


class _Values(ValuesView[SeriesInfo]):
    _mapping: ManySeries

    def __iter__(self) -> Iterator[SeriesInfo]:
        return self._mapping.infos()
