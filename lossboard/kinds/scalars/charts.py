"""Charts: selects the series of runs, smooths them in full and aligns them on one grid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lossboard import _core
from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.json_numbers import number
from lossboard.kinds.scalars.budget import density_size
from lossboard.kinds.scalars.chart_formulas import ChartFormula, Runs, find_problem
from lossboard.kinds.scalars.chart_query import ChartQuery
from lossboard.kinds.scalars.documents import ChartHead, ChartLine, ChartPoint, Density, FormulaProblem, GroupChartHead
from lossboard.kinds.scalars.line_choice import Candidate, choose_lines
from lossboard.series_math.alignment import Grid, cells_for, relative_time_origin, sample_to_grid
from lossboard.series_math.points import PLUGIN, Points, earlier_attempts, restarts
from lossboard.series_math.smoothing import SmoothingCache

if TYPE_CHECKING:
    from lossboard.store.run import Run, SeriesInfo

Table = dict[str, Any]

_MIN_DEFERRED_LINES = 1000
"""A density of fewer lines is ready so soon that a chart without it would only flicker."""


class ShownTag(NamedTuple):
    """A tag of a run that a chart shows, or a formula. The info of a formula is that of its shortest tag."""

    run: Run
    info: SeriesInfo
    formula: ChartFormula | None = None


@dataclass(slots=True, eq=False)
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
        if query.baseline is not None:
            name = f"{name}\0{query.baseline.key}"
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
    read = [tag.name for formula in query.formulas for tag in formula.tags]
    keys = [(PLUGIN, tag) for tag in (*query.tags, *read, query.x.tag)]
    every = [series for _, series in runs] + ([query.baseline.series] if query.baseline else [])
    return any(key in series and series[key].changed_at > since for series in every for key in keys)


def build(runs: Runs, query: ChartQuery, smoothed: SmoothingCache) -> tuple[ChartHead, list[Table]]:
    """Returns the head and the tables of one chart."""
    chosen, rest = _split(list(_shown_tags(runs, query)), query)
    has_more = query.defer_density and len(rest) > _MIN_DEFERRED_LINES
    own, superfluous = _limit_attempts([one for tag in chosen for one in _series_of(tag, query)], query.max_lines)
    lines = _lines(own, query, smoothed)
    dense = superfluous if has_more else superfluous + [one for tag in rest for one in _series_of(tag, query)]
    others = _lines(dense, query, smoothed)
    x_range = query.x_range or query.x.shortened_range(lines + others)
    if x_range is None and others:
        x_range = _core.x_extent(lines + others)
    if has_more and x_range is None and query.x.quantity == "step":
        x_range = _step_extent(chosen + rest)
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
    describe_formulas(head, runs, query, {series.tag for series in own})
    if query.best is not None:
        _add_best(head["lines"], own, lines, query)
    tables = [{"x": grid.x}, _cells(grid, with_smoothed=any(line["smoothed"] for line in head["lines"]))]
    if others:
        head["density"], *images = _density(others, grid, query)
        tables += images
    return head, tables


def _lines(series: list[Series], query: ChartQuery, smoothed: SmoothingCache) -> list[_core.Line]:
    lines = []
    for one in series:
        check_cancelled()
        lines.append(one.line(query, smoothed))
    return lines


def shown_series(runs: Runs, query: ChartQuery) -> Iterator[Series]:
    """Yields the lines of a chart, run by run. Earlier attempts are included only on request."""
    return (series for shown in _shown_tags(runs, query) for series in _series_of(shown, query))


def _shown_tags(runs: Runs, query: ChartQuery) -> Iterator[ShownTag]:
    keys = [(PLUGIN, tag) for tag in query.tags]
    x_key = (PLUGIN, query.x.tag) if query.x.quantity == "tag" else None
    for run, known in runs:
        if x_key is not None and x_key not in known:
            continue
        for key in keys:
            if (info := known.get(key)) is not None and info.count:
                yield ShownTag(run, info)
        for formula in query.formulas:
            if (info := formula.info(known)) is not None:
                yield ShownTag(run, info, formula)


def _series_of(shown: ShownTag, query: ChartQuery) -> Iterator[Series]:
    """Yields the line of a tag, and on request those of its earlier attempts."""
    check_cancelled()
    run, formula = shown.run, shown.formula
    tag = formula.name if formula else shown.info.tag
    try:
        points = _points(run, shown)
        if query.baseline is not None:
            points = query.baseline.compare(points, _points(query.baseline.run, shown))
    except LookupError:  # its files were replaced since the run was indexed, or the baseline lacks the tag
        return
    if not len(points):
        return
    if not shown.info.hidden or formula or query.baseline:
        yield Series(run, tag, points)
        return
    yield Series(run, tag, points, restarts=restarts(run, tag, points))
    if query.attempts:
        yield from (Series(run, tag, piece, superseded_by=points) for piece in earlier_attempts(run, tag))


def _points(run: Run, shown: ShownTag) -> Points:
    return shown.formula.points(run) if shown.formula else Points.of(run, shown.info.tag)


def describe_formulas(head: ChartHead | GroupChartHead, runs: Runs, query: ChartQuery, drawn: Set[str]) -> None:
    """Adds what the formulas of a chart read, and why some have no lines."""
    if not query.formulas:
        return
    head["reads"] = [tag.name for formula in query.formulas for tag in formula.tags]
    found: list[FormulaProblem] = []
    for formula in query.formulas:
        # With a baseline, that may be because the baseline lacks its tags.
        is_explained = formula.name in drawn or (query.baseline is not None and formula.problem is None)
        if not is_explained and (problem := find_problem(formula, runs)) is not None:
            found.append({"formula": formula.text, **problem})
    if found:
        head["problems"] = found


def _add_best(described: list[ChartLine], shown: list[Series], lines: list[_core.Line], query: ChartQuery) -> None:
    lowest, highest, _ = _core.line_extremes(lines, *(query.x_range or (-math.inf, math.inf)))
    for i, (series, (x, offset, values, _)) in enumerate(zip(shown, lines, strict=True)):
        direction = None if series.hidden else query.direction_of(series.tag)
        at = int((lowest if direction == "min" else highest)[i])
        if direction is None or at < 0 or not math.isfinite(values[at]):
            continue
        step = int(series.points.steps[at])
        value = float(values[at])
        described[i]["best"] = {"x": float(x[at] - offset), "step": step, "value": value, "direction": direction}


def _split(shown: list[ShownTag], query: ChartQuery) -> tuple[list[ShownTag], list[ShownTag]]:
    """Splits tags into those drawn as lines and those drawn as a density. It needs no points, which would take long."""
    if len(shown) <= query.max_lines:
        return shown, []
    candidates = [
        Candidate(
            run.id,
            (info.last_step or 0) - (info.first_step or 0),
            run.last or 0.0,
            math.nan if info.last_value is None or formula else info.last_value,
            run.is_finished,
        )
        for run, info, formula in shown
    ]
    chosen = choose_lines(candidates, requested=query.emphasised, max_lines=query.max_lines)
    rest = [one for i, one in enumerate(shown) if i not in chosen]
    return [shown[i] for i in sorted(chosen)], rest


def _limit_attempts(series: list[Series], max_lines: int) -> tuple[list[Series], list[Series]]:
    """Returns the lines to draw, and the attempts for which there is no place. The latest attempts are drawn."""
    attempts = [one for one in series if one.hidden]
    superfluous = attempts[: max(len(series) - max_lines, 0)]
    return [one for one in series if one not in superfluous], superfluous


def _step_extent(shown: list[ShownTag]) -> tuple[float, float]:
    first = min(one.info.first_step or 0 for one in shown)
    return float(first), float(max(one.info.last_step or 0 for one in shown))


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


def _density(lines: list[_core.Line], grid: Grid, query: ChartQuery) -> tuple[Density, Table, Table]:
    width, height = density_size(len(lines), query.width, query.height)
    view = query.y
    lo, hi, counts, minimum, maximum = _core.density(lines, *grid.x_range, width, height, view.lo, view.hi, view.log)
    density: Density = {
        "width": width,
        "height": height,
        "y": (lo, hi),
        "scale": "log" if view.log else "linear",
        "lines": len(lines),
    }
    return density, {"count": counts}, {"lo": minimum, "hi": maximum}
