"""Exact values of the lines of a chart: the points at one x, and the extremes within a range of x."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

import numpy as np

from lossboard import _core
from lossboard.kinds.json_numbers import number
from lossboard.kinds.params import get_float, get_int
from lossboard.kinds.scalars.chart_formulas import Runs
from lossboard.kinds.scalars.chart_query import ChartQuery
from lossboard.kinds.scalars.charts import Series, shown_series
from lossboard.kinds.scalars.documents import AtChart, AtLine, ExtremePoint, ExtremesChart
from lossboard.series_math.alignment import nearest
from lossboard.series_math.smoothing import SmoothingCache

_MAX_NEAR = 1000


@dataclass(frozen=True)
class Near:
    """Selects the lines around a y: the `count` lines above it and the `count` lines below it.

    On every scale of the y axis, the nearest `count` lines are among them. Lines that end more than `reach` before the
    x, or start more than `reach` after it, do not count.
    """

    y: float
    count: int
    reach: float

    @classmethod
    def parse(cls, params: Mapping[str, Any]) -> Near:
        count = get_int(params, "count", default=12, minimum=1, maximum=_MAX_NEAR)
        return cls(get_float(params, "y"), count, get_float(params, "reach"))


@dataclass(slots=True)
class _At:
    """The point of a line that is nearest to an x."""

    series: Series
    line: _core.Line
    index: int

    @property
    def smoothed(self) -> float:
        return float(self.line[3][self.index])

    def document(self) -> AtLine:
        x, offset, _, smoothed = self.line
        series, i = self.series, self.index
        return {"run": series.run.id, "tag": series.tag, "x": float(x[i] - offset), **series.point(i, smoothed)}


def points_at(runs: Runs, query: ChartQuery, smoothed: SmoothingCache, *, x: float, near: Near | None) -> AtChart:
    """Returns the exact point of each line that is nearest to an x, or only of the lines near a y."""
    found = list(_points_at(runs, query, smoothed, x, math.inf if near is None else near.reach))
    chosen = found if near is None else _choose(found, near)
    return {"key": query.key, "total": len(found), "lines": [at.document() for at in chosen]}


def _points_at(runs: Runs, query: ChartQuery, smoothed: SmoothingCache, x: float, reach: float) -> Iterator[_At]:
    for series in shown_series(runs, query):
        line = series.line(query, smoothed)
        xs, at = line[0], x + line[1]
        i = nearest(xs, at)
        if i is not None and (abs(float(xs[i]) - at) <= reach or np.nanmin(xs) <= at <= np.nanmax(xs)):
            yield _At(series, line, i)


def _choose(found: list[_At], near: Near) -> list[_At]:
    above = [at for at in found if at.smoothed >= near.y]
    below = [at for at in found if at.smoothed < near.y]
    return [
        *nsmallest(near.count, above, key=lambda at: at.smoothed - near.y),
        *nsmallest(near.count, below, key=lambda at: near.y - at.smoothed),
    ]


def extremes(runs: Runs, query: ChartQuery, smoothed: SmoothingCache) -> ExtremesChart:
    """Returns the exact minimum, maximum and first non-finite value of each line within the range of the query."""
    shown = list(shown_series(runs, query))
    lines = [series.line(query, smoothed) for series in shown]
    columns = _core.line_extremes(lines, *(query.x_range or (-math.inf, math.inf)))
    found = zip(shown, lines, *(column.tolist() for column in columns), strict=True)
    return {
        "key": query.key,
        "lines": [
            {
                "run": series.run.id,
                "tag": series.tag,
                "min": _extreme(series, line, low),
                "max": _extreme(series, line, high),
                "non_finite": _extreme(series, line, bad),
            }
            for series, line, low, high, bad in found
        ],
    }


def _extreme(series: Series, line: _core.Line, i: int) -> ExtremePoint | None:
    if i < 0:
        return None
    x, offset, values, _ = line
    return {"x": float(x[i] - offset), "step": int(series.points.steps[i]), "value": number(float(values[i]))}
