"""Charts of groups of runs: each group is one line with a band, aligned on one grid like the lines of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lossboard.errors import UsageError
from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.json_numbers import number
from lossboard.kinds.limits import MAX_RESPONSE_BYTES, check_size
from lossboard.kinds.params import get_objects, get_str, parse_strings
from lossboard.kinds.scalars.chart_formulas import Runs
from lossboard.kinds.scalars.charts import Table, describe_formulas, shown_series
from lossboard.kinds.scalars.documents import ChangeOfRuns, GroupChartHead, GroupExtreme, GroupLine
from lossboard.series_math.alignment import cells_for, sample_to_grid
from lossboard.series_math.group_curves import Band, Center, GroupCurve, check_band, group_curve
from lossboard.series_math.student_t import t_quantile_95

if TYPE_CHECKING:
    from lossboard import _core
    from lossboard.kinds.scalars.chart_query import ChartQuery

_MAX_GROUPS = 500
_MAX_CHANGES = 50
_BYTES_PER_CELL = 20
_MAX_SLOW_STEPS = 2000
"""Steps of a median, an interquartile mean or a bootstrap, which take much longer than a mean."""


@dataclass(frozen=True)
class Grouping:
    """Which runs are one line, and how the line and its band are computed."""

    groups: Mapping[str, Sequence[str]]
    """Ids of runs by the key of their group."""
    center: Center
    band: Band
    labels: Mapping[str, str]
    """Names of groups in files, by their key."""

    @classmethod
    def parse(cls, params: Mapping[str, Any]) -> Grouping:
        described = get_objects(params, "groups", maximum=_MAX_GROUPS)
        groups = {get_str(group, "key"): parse_strings(group.get("runs"), "runs") for group in described}
        labels = {get_str(group, "key"): get_str(group, "label") for group in described if "label" in group}
        center, band = params.get("center", "mean"), params.get("band")
        if not isinstance(center, str) or not isinstance(band, str | None):
            raise UsageError('Expected "center" and "band" to be strings.')
        return cls(groups, center, check_band(center, band), labels)  # type: ignore[arg-type]

    @property
    def run_ids(self) -> list[str]:
        return [id for ids in self.groups.values() for id in ids]


@dataclass(slots=True)
class GroupedLine:
    group: str
    tag: str
    runs: list[str]
    curve: GroupCurve
    smoothed: NDArray[np.float64]

    def describe(self, query: ChartQuery) -> GroupLine:
        curve, x_range = self.curve, query.x_range
        described: GroupLine = {
            "group": self.group,
            "tag": self.tag,
            "runs": self.runs,
            "points": len(curve.steps),
            "smoothed": self.smoothed is not curve.center,
            "last": {
                "step": int(curve.steps[-1]),
                "value": number(float(curve.center[-1])),
                "low": number(float(curve.low[-1])),
                "high": number(float(curve.high[-1])),
                "n": int(curve.n[-1]),
            },
            "min": _extreme(curve, x_range, np.argmin),
            "max": _extreme(curve, x_range, np.argmax),
            "changes": list(_changes(curve)),
            "non_finite": int(curve.non_finite.max(initial=0)),
        }
        if (direction := query.direction_of(self.tag)) and (best := described[direction]):
            described["best"] = {"x": best["step"], **best, "direction": direction}
        return described


def check_group_budget(queries: Sequence[ChartQuery], grouping: Grouping) -> None:
    """Raises UsageError if the response could be too large, should every group have every tag."""
    lines = [(len(grouping.groups) * len(query.names), query.width) for query in queries]
    size = sum(count * cells_for(count, width) * _BYTES_PER_CELL for count, width in lines)
    check_size(size, MAX_RESPONSE_BYTES, "bytes", "Request fewer charts, fewer groups or a smaller width.")


def build_groups(runs: Runs, query: ChartQuery, grouping: Grouping) -> tuple[GroupChartHead, list[Table]]:
    """Returns the head and the tables of one chart."""
    lines = list(group_lines(runs, query, grouping))
    # Each column is sampled like the values of a line, so that all of them are from the same steps.
    center = [_line(line, line.curve.center, line.smoothed) for line in lines]
    band = [_line(line, line.curve.low, line.curve.high) for line in lines]
    counts = [_line(line, n := line.curve.n.astype(np.float64), n) for line in lines]
    cells = cells_for(len(lines), query.width)
    grid = sample_to_grid([*center, *band, *counts], x_range=query.x_range, cells=cells)
    size = len(lines) * len(grid.x)
    head: GroupChartHead = {
        "key": query.key,
        "exact": grid.exact,
        "cells": len(grid.x),
        "x": grid.x_range,
        "lines": [line.describe(query) for line in lines],
    }
    describe_formulas(head, runs, query, {line.tag for line in lines})
    cells_table: Table = {
        "v": grid.value[:size],
        "s": grid.smoothed[:size],
        "lo": grid.value[size : 2 * size],
        "hi": grid.smoothed[size : 2 * size],
        "n": grid.value[2 * size :],
    }
    return head, [{"x": grid.x}, cells_table]


def _line(line: GroupedLine, values: NDArray[np.float64], smoothed: NDArray[np.float64]) -> _core.Line:
    return line.curve.steps, 0.0, values, smoothed


def group_lines(runs: Runs, query: ChartQuery, grouping: Grouping) -> Iterator[GroupedLine]:
    """Yields a line for each group and tag. A group without points has none."""
    if query.x.quantity != "step":
        raise UsageError('Groups have a common line only over steps. Set "x" to "step".')
    by_id = {run.id: (run, series) for run, series in runs}
    for key, ids in grouping.groups.items():
        members = [by_id[id] for id in dict.fromkeys(ids) if id in by_id]
        found = [series for series in shown_series(members, query) if not series.hidden]
        for tag in query.names:
            check_cancelled()
            own = [series for series in found if series.tag == tag]
            is_fast = grouping.center == "mean" and grouping.band != "bootstrap"
            curve = group_curve(
                [series.points for series in own],
                center=grouping.center,
                band=grouping.band,
                max_steps=None if is_fast else _MAX_SLOW_STEPS,
            )
            if len(curve.steps):
                curve = _limit_band_of_two(curve, grouping.band)
                yield GroupedLine(
                    key, tag, [series.run.id for series in own], curve, query.smoothing.apply(curve.center)
                )


def _limit_band_of_two(curve: GroupCurve, band: Band) -> GroupCurve:
    """Returns the curve with the range of the runs as its band where there are two of them: their t interval is
    13 times as wide, and would hide the rest of the chart."""
    if band != "t" or not (curve.n == 2).any():
        return curve
    half = np.where(curve.n == 2, (curve.high - curve.center) / t_quantile_95(1), curve.high - curve.center)
    return GroupCurve(curve.steps, curve.center, curve.center - half, curve.center + half, curve.n, curve.non_finite)


def _extreme(
    curve: GroupCurve, x_range: tuple[float, float] | None, best: Callable[[NDArray[np.float64]], np.intp]
) -> GroupExtreme | None:
    lo, hi = x_range or (-np.inf, np.inf)
    inside = np.flatnonzero(np.isfinite(curve.center) & (curve.steps >= lo) & (curve.steps <= hi))
    if not len(inside):
        return None
    at = inside[best(curve.center[inside])]
    return {"step": int(curve.steps[at]), "value": float(curve.center[at])}


def _changes(curve: GroupCurve) -> Iterator[ChangeOfRuns]:
    """Yields where the number of runs behind the line changes."""
    for i in (np.flatnonzero(np.diff(curve.n)) + 1)[:_MAX_CHANGES].tolist():
        yield {"x": int(curve.steps[i]), "before": int(curve.n[i - 1]), "after": int(curve.n[i])}
