"""Charts as the board draws them: the chosen runs' series, smoothed whole, then put on one grid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lossboard import _core
from lossboard.kinds.numbers import number
from lossboard.kinds.scalars.chart_query import ChartQuery
from lossboard.series_math.alignment import Grid, cells_for, nearest, relative_time_origin, sample_to_grid
from lossboard.series_math.points import PLUGIN, Points, earlier_attempts, restarts
from lossboard.series_math.smoothing import SmoothingCache
from lossboard.store.run_ids import run_id
from lossboard.store.series_index import Key

if TYPE_CHECKING:
    from lossboard.store.run import Run, SeriesInfo

Table = dict[str, Any]

_smoothed = SmoothingCache()


Runs = Sequence[tuple["Run", Mapping[Key, "SeriesInfo"]]]
"""The chosen runs in the order of the board, with the series that each has."""


@dataclass(slots=True)
class Series:
    """One line to be: a run's tag, or an earlier attempt of it that a restart has hidden."""

    run: Run
    tag: str
    points: Points
    hidden: bool = False
    restarts: tuple[int, ...] = ()
    """Indexes of the points where a new attempt began."""

    def line(self, question: ChartQuery) -> _core.Line:
        x, offset = question.x.of(self.run, self.points)
        name = f"{self.tag}\0{self.points.steps[0]}" if self.hidden else self.tag
        return x, offset, self.points.values, _smoothed.get(self.run.name, name, self.points, question.smoothing)


def has_changed(runs: Runs, question: ChartQuery, since: int) -> bool:
    keys = [(PLUGIN, tag) for tag in (*question.tags, question.x.tag)]
    return any(key in series and series[key].changed > since for _, series in runs for key in keys)


def build(runs: Runs, question: ChartQuery) -> tuple[dict[str, Any], list[Table]]:
    """The head and the tables of one chart."""
    own, rest = _share_out(list(shown_series(runs, question)), question)
    lines = [series.line(question) for series in own]
    others = [series.line(question) for series in rest]
    x_range = question.x_range or (_core.x_extent(lines + others) if others else None)
    grid = sample_to_grid(lines, x_range=x_range, cells=cells_for(len(lines), question.width))
    head: dict[str, Any] = {
        "key": question.key,
        "exact": grid.exact,
        "points": int(grid.points.sum()),
        "drawn": int(grid.drawn.sum()),
        "cells": len(grid.x),
        "x": grid.x_range,
        "lines": [_describe(series, line, grid, i) for i, (series, line) in enumerate(zip(own, lines, strict=True))],
    }
    tables = [{"x": grid.x}, _cells(grid, question)]
    if others:
        head["density"], image = _density(others, grid, question)
        tables.append(image)
    return head, tables


def points_at(runs: Runs, question: ChartQuery, at: float) -> Iterator[dict[str, Any]]:
    """The exact point of each line that is nearest to an x."""
    for series in shown_series(runs, question):
        x = question.x.values(series.run, series.points)
        if (i := nearest(x, at)) is None:
            continue
        smoothed = series.line(question)[3]
        yield {"run": run_id(series.run.name), "tag": series.tag, "x": float(x[i])} | _point(series, i, smoothed)


def shown_series(runs: Runs, question: ChartQuery) -> Iterator[Series]:
    """What a chart draws, run by run; earlier attempts only where they are asked for."""
    needed = {(PLUGIN, question.x.tag)} if question.x.what == "tag" else set()
    for run, known in runs:
        if not needed <= known.keys():
            continue
        for tag in question.tags:
            info = known.get((PLUGIN, tag))
            if info is None or not info.count:
                continue
            try:
                points = Points.of(run, tag)
            except LookupError:  # its files were replaced since the run was looked at
                continue
            if not info.hidden:
                yield Series(run, tag, points)
                continue
            yield Series(run, tag, points, restarts=restarts(run, tag, points))
            if question.attempts:
                yield from (Series(run, tag, piece, hidden=True) for piece in earlier_attempts(run, tag))


def _share_out(series: list[Series], question: ChartQuery) -> tuple[list[Series], list[Series]]:
    """The lines that are drawn one by one, and the rest that is drawn as a density."""
    if len(series) <= question.max_lines:
        return series, []
    # The board's order is by start, so the newest come last; sorted() is stable and keeps them there.
    by_interest = sorted(series, key=lambda one: run_id(one.run.name) in question.emphasised)
    return by_interest[-question.max_lines :], by_interest[: -question.max_lines]


def _cells(grid: Grid, question: ChartQuery) -> Table:
    table: Table = {"v": grid.value}
    if question.smoothing.method != "none":
        table["s"] = grid.smoothed
    if not grid.exact:
        table |= {"lo": grid.least, "hi": grid.greatest}
    return table


def _describe(series: Series, line: _core.Line, grid: Grid, i: int) -> dict[str, Any]:
    x, offset, _, smoothed = line
    steps = series.points.steps
    described: dict[str, Any] = {"run": run_id(series.run.name), "tag": series.tag, "points": int(grid.points[i])}
    if series.hidden:
        described["hidden"] = True
    if len(steps):
        described["last"] = _point(series, -1, smoothed)
    described["marks"] = [
        {"x": at, "step": int(steps[index]), "what": what, "count": count} for index, at, what, count in grid.marks[i]
    ]
    described["restarts"] = [float(x[index] - offset) for index in series.restarts]
    return described


def _point(series: Series, i: int, smoothed: Any) -> dict[str, Any]:
    points = series.points
    return {
        "step": int(points.steps[i]),
        "wall": number(float(points.wall_times[i])),
        "relative": number(float(points.wall_times[i]) - relative_time_origin(series.run, points)),
        "value": number(float(points.values[i])),
        "smoothed": number(float(smoothed[i])),
    }


def _density(lines: list[_core.Line], grid: Grid, question: ChartQuery) -> tuple[Mapping[str, Any], Table]:
    width, height = max(question.width // 2, 1), max(question.height // 2, 1)
    view = question.y
    lo, hi, counts = _core.density(lines, *grid.x_range, width, height, view.lo, view.hi, view.log)
    scale = "log" if view.log else "linear"
    return {"width": width, "height": height, "y": [lo, hi], "scale": scale, "lines": len(lines)}, {"count": counts}
