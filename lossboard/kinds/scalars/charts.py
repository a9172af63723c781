"""Charts: selects the series of runs, smooths them in full and aligns them on one grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lossboard import _core
from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.json_numbers import number
from lossboard.kinds.scalars.budget import density_size
from lossboard.kinds.scalars.chart_query import ChartQuery
from lossboard.kinds.scalars.documents import ChartHead, ChartLine, ChartPoint, Density
from lossboard.kinds.scalars.line_choice import Candidate, choose_lines
from lossboard.series_math.alignment import Grid, cells_for, relative_time_origin, sample_to_grid
from lossboard.series_math.points import PLUGIN, Points, earlier_attempts, restarts
from lossboard.series_math.smoothing import SmoothingCache

if TYPE_CHECKING:
    from lossboard.store.run import Key, Run, SeriesInfo

Table = dict[str, Any]

_MIN_DEFERRED_LINES = 1000
"""A density of fewer lines is ready so soon that a chart without it would only flicker."""

Runs: TypeAlias = "Sequence[tuple[Run, Mapping[Key, SeriesInfo]]]"
"""Selected runs in the order of the board, each with its series."""


@dataclass(slots=True)
class Series:
    """One line of a chart: a tag of a run, or an earlier attempt of it that a restart superseded."""

    run: Run
    tag: str
    points: Points
    superseded_by: Points | None = None
    """For an earlier attempt: the current points, which decide whether it is smoothed too."""
    restarts: tuple[int, ...] = ()
    """Indexes of the points at which a new attempt starts."""

    def line(self, query: ChartQuery, smoothed: SmoothingCache) -> _core.Line:
        x, offset = query.x.of(self.run, self.points)
        name, smoothing = self.tag, query.smoothing
        if self.superseded_by is not None:
            name, smoothing = f"{self.tag}\0{self.points.steps[0]}", smoothing.for_part_of(self.superseded_by.values)
        return x, offset, self.points.values, smoothed.get(self.run.name, name, self.points, smoothing)

    @property
    def hidden(self) -> bool:
        return self.superseded_by is not None

    def point(self, i: int, smoothed: NDArray[np.float64]) -> ChartPoint:
        points = self.points
        return {
            "step": int(points.steps[i]),
            "wall": number(float(points.wall_times[i])),
            "relative": number(float(points.wall_times[i]) - relative_time_origin(self.run, points)),
            "value": number(float(points.values[i])),
            "smoothed": number(float(smoothed[i])),
        }


def has_changed(runs: Runs, query: ChartQuery, since: int) -> bool:
    check_cancelled()
    keys = [(PLUGIN, tag) for tag in (*query.tags, query.x.tag)]
    return any(key in series and series[key].changed_at > since for _, series in runs for key in keys)


def build(runs: Runs, query: ChartQuery, smoothed: SmoothingCache) -> tuple[ChartHead, list[Table]]:
    """Returns the head and the tables of one chart."""
    own, rest = _split(list(shown_series(runs, query)), query)
    has_more = query.defer_density and len(rest) > _MIN_DEFERRED_LINES
    lines = _lines(own, query, smoothed)
    others = [] if has_more else _lines(rest, query, smoothed)
    x_range = query.x_range or (_core.x_extent(lines + others) if others else None)
    if has_more and x_range is None and query.x.quantity == "step":
        x_range = _step_extent(own + rest)
    grid = sample_to_grid(lines, x_range=x_range, cells=cells_for(len(lines), query.width))
    head: ChartHead = {
        "key": query.key,
        "exact": grid.exact,
        "points": int(grid.points.sum()),
        "drawn": int(grid.drawn.sum()),
        "cells": len(grid.x),
        "x": grid.x_range,
        "lines": [_describe(series, line, grid, i) for i, (series, line) in enumerate(zip(own, lines, strict=True))],
    }
    if has_more:
        head["more"] = True
    tables = [{"x": grid.x}, _cells(grid, with_smoothed=any(line["smoothed"] for line in head["lines"]))]
    if others:
        head["density"], image = _density(others, grid, query)
        tables.append(image)
    return head, tables


def _lines(series: list[Series], query: ChartQuery, smoothed: SmoothingCache) -> list[_core.Line]:
    lines = []
    for one in series:
        check_cancelled()
        lines.append(one.line(query, smoothed))
    return lines


def shown_series(runs: Runs, query: ChartQuery) -> Iterator[Series]:
    """Yields the lines of a chart, run by run. Earlier attempts are included only on request."""
    needed = {(PLUGIN, query.x.tag)} if query.x.quantity == "tag" else set()
    for run, known in runs:
        check_cancelled()
        if not needed <= known.keys():
            continue
        for tag in query.tags:
            info = known.get((PLUGIN, tag))
            if info is None or not info.count:
                continue
            try:
                points = Points.of(run, tag)
            except LookupError:  # its files were replaced since the run was indexed
                continue
            if not len(points):  # its files were replaced
                continue
            if not info.hidden:
                yield Series(run, tag, points)
                continue
            yield Series(run, tag, points, restarts=restarts(run, tag, points))
            if query.attempts:
                yield from (Series(run, tag, piece, superseded_by=points) for piece in earlier_attempts(run, tag))


def _split(series: list[Series], query: ChartQuery) -> tuple[list[Series], list[Series]]:
    """Splits series into those drawn as lines and those drawn as a density."""
    if len(series) <= query.max_lines:
        return series, []
    candidates = [
        Candidate(
            run=one.run.id,
            steps=int(one.points.steps[-1] - one.points.steps[0]),
            last_wall=float(one.points.wall_times[-1]),
            final_value=float(one.points.values[-1]),
            is_finished=one.run.is_finished,
            is_attempt=one.hidden,
        )
        for one in series
    ]
    chosen = choose_lines(candidates, requested=query.emphasised, max_lines=query.max_lines)
    rest = [one for i, one in enumerate(series) if i not in chosen]
    return [series[i] for i in sorted(chosen)], rest


def _step_extent(series: list[Series]) -> tuple[float, float]:
    return float(min(one.points.steps[0] for one in series)), float(max(one.points.steps[-1] for one in series))


def _cells(grid: Grid, *, with_smoothed: bool) -> Table:
    table: Table = {"v": grid.value}
    if with_smoothed:
        table["s"] = grid.smoothed
    if not grid.exact:
        table |= {"lo": grid.minimum, "hi": grid.maximum}
    return table


def _describe(series: Series, line: _core.Line, grid: Grid, i: int) -> ChartLine:
    x, offset, values, smoothed = line
    steps = series.points.steps
    described: ChartLine = {
        "run": series.run.id,
        "tag": series.tag,
        "points": int(grid.points[i]),
        "smoothed": smoothed is not values,
        "last": series.point(-1, smoothed),
        "marks": [
            {"x": at, "step": int(steps[index]), "what": what, "count": count}
            for index, at, what, count in grid.marks[i]
        ],
        "restarts": [float(x[index] - offset) for index in series.restarts],
    }
    if series.hidden:
        described["hidden"] = True
    return described


def _density(lines: list[_core.Line], grid: Grid, query: ChartQuery) -> tuple[Density, Table]:
    width, height = density_size(len(lines), query.width, query.height)
    view = query.y
    lo, hi, counts = _core.density(lines, *grid.x_range, width, height, view.lo, view.hi, view.log)
    density: Density = {
        "width": width,
        "height": height,
        "y": (lo, hi),
        "scale": "log" if view.log else "linear",
        "lines": len(lines),
    }
    return density, {"count": counts}
