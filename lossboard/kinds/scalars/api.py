"""Routes of scalars: charts, the points under the pointer, exports and complete series."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lossboard.errors import UsageError
from lossboard.kinds.context import Context
from lossboard.kinds.params import get_float, get_str, parse_interval
from lossboard.kinds.routes import ArrowResult, Download, JsonResult, Route, StreamResult
from lossboard.kinds.scalars.baseline import Baseline
from lossboard.kinds.scalars.budget import check_budget, check_lines
from lossboard.kinds.scalars.chart_formulas import ChartFormula, Runs, find_problem
from lossboard.kinds.scalars.chart_query import ChartQuery, parse_charts
from lossboard.kinds.scalars.chart_values import Near, extremes, points_at
from lossboard.kinds.scalars.charts import build, has_changed
from lossboard.kinds.scalars.documents import (
    AtResponse,
    ChartHead,
    ChartsHead,
    ExtremesResponse,
    FormulaResponse,
    GroupChartHead,
    GroupChartsHead,
    PointsHead,
    PresentTags,
    UnchangedChart,
)
from lossboard.kinds.scalars.download import download, download_groups
from lossboard.kinds.scalars.group_charts import Grouping, build_groups, check_group_budget
from lossboard.kinds.scalars.row_writers import MAX_ROWS, csv_rows, json_columns
from lossboard.series_math.points import Points
from lossboard.series_math.smoothing import Smoothing, SmoothingCache

if TYPE_CHECKING:
    from lossboard.store.run import Run

_SMOOTHED_BYTES = 64 << 20
MAX_FRAME_ROWS = 4_000_000


def charts(context: Context, params: Mapping[str, Any]) -> ArrowResult[ChartsHead]:
    cursor, runs, smoothed = context.logdir.cursor, _runs(context, params), _smoothed(context)
    queries, since = _charts(context, params), params.get("since")
    check_budget(queries, runs=len(runs))
    heads: list[ChartHead | UnchangedChart] = []
    tables: list[Mapping[str, Any]] = []
    for query in queries:
        if isinstance(since, int) and not has_changed(runs, query, since):
            heads.append({"key": query.key, "unchanged": True})
            continue
        head, own = build(runs, query, smoothed)
        heads.append(head)
        tables += own
    return ArrowResult({"cursor": cursor, "charts": heads}, tables)


def groups(context: Context, params: Mapping[str, Any]) -> ArrowResult[GroupChartsHead]:
    cursor, grouping = context.logdir.cursor, Grouping.parse(params)
    runs = context.index.of(context.select_runs({"only": grouping.run_ids}))
    queries, since = _charts(context, params), params.get("since")
    check_group_budget(queries, grouping)
    heads: list[GroupChartHead | UnchangedChart] = []
    tables: list[Mapping[str, Any]] = []
    for query in queries:
        if isinstance(since, int) and not has_changed(runs, query, since):
            heads.append({"key": query.key, "unchanged": True})
            continue
        head, own = build_groups(runs, query, grouping)
        heads.append(head)
        tables += own
    return ArrowResult({"cursor": cursor, "charts": heads}, tables)


def at(context: Context, params: Mapping[str, Any]) -> JsonResult[AtResponse]:
    cursor, runs, smoothed = context.logdir.cursor, _runs(context, params), _smoothed(context)
    x = get_float(params, "x")
    near = Near.parse(params["near"]) if isinstance(params.get("near"), dict) else None
    queries = _charts(context, params)
    if near is None:
        check_lines(queries, runs)
    charts = [points_at(runs, query, smoothed, x=x, near=near) for query in queries]
    return JsonResult({"cursor": cursor, "charts": charts})


def chart_extremes(context: Context, params: Mapping[str, Any]) -> JsonResult[ExtremesResponse]:
    cursor, runs, smoothed = context.logdir.cursor, _runs(context, params), _smoothed(context)
    queries = _charts(context, params)
    check_lines(queries, runs)
    charts = [extremes(runs, query, smoothed) for query in queries]
    return JsonResult({"cursor": cursor, "charts": charts})


def tags(context: Context, params: Mapping[str, Any]) -> JsonResult[PresentTags]:
    cursor = context.logdir.cursor
    present = {tag for _, series in _runs(context, params) for plugin, tag in series if plugin == "scalars"}
    return JsonResult({"cursor": cursor, "tags": sorted(present)})


def export(context: Context, params: Mapping[str, Any]) -> StreamResult:
    if params.get("groups") is not None:
        return _export_groups(context, params)
    return download(
        _runs(context, params),
        _charts(context, params),
        smoothed=_smoothed(context),
        display_names=context.display_names(),
        format=params.get("format"),
    )


def _export_groups(context: Context, params: Mapping[str, Any]) -> StreamResult:
    grouping = Grouping.parse(params)
    runs = context.index.of(context.select_runs({"only": grouping.run_ids}))
    return download_groups(runs, _charts(context, params), grouping, format=params.get("format"))


def _runs(context: Context, params: Mapping[str, Any]) -> Runs:
    return context.index.of(context.select_runs(params.get("runs")))


def _charts(context: Context, params: Mapping[str, Any]) -> list[ChartQuery]:
    return parse_charts(params, _baseline(context, params))


def _baseline(context: Context, params: Mapping[str, Any]) -> Baseline | None:
    return Baseline.parse(params.get("baseline"), lambda id: context.index.of([context.find_run(id)])[0])


def formula(context: Context, params: Mapping[str, Any]) -> JsonResult[FormulaResponse]:
    written = ChartFormula.of(get_str(params, "formula"))
    runs = _runs(context, params)
    has_lines = any(written.info(series) is not None for _, series in runs)
    return JsonResult({"cursor": context.logdir.cursor, "problem": None if has_lines else find_problem(written, runs)})


def _smoothed(context: Context) -> SmoothingCache:
    return SmoothingCache(context.caches.get("smoothed scalars", max_size=_SMOOTHED_BYTES))


def points(context: Context, params: Mapping[str, Any]) -> ArrowResult[PointsHead] | StreamResult:
    cursor, run = context.logdir.cursor, context.find_run(params.get("run"))
    name, column = _series_points(run, params)
    if (baseline := _baseline(context, params)) is not None:
        column = baseline.compare(column, _series_points(baseline.run, params)[1])
    format = params.get("format", "frames")
    if len(column) > (MAX_FRAME_ROWS if format == "frames" else MAX_ROWS):
        raise UsageError(f"{len(column):,} points are too many for a browser. Use `lossboard export`.")
    smoothing = Smoothing.parse(params.get("smoothing"))
    table: dict[str, NDArray[Any]] = {
        "step": column.steps,
        "wall": column.wall_times,
        "value": column.values,
        "smoothed": smoothing.apply(column.values),
    }
    if (wanted := parse_interval(params.get("range"), "range")) is not None:
        inside = (column.steps >= wanted[0]) & (column.steps <= wanted[1])
        table = {name: values[inside] for name, values in table.items()}
    match format:
        case "frames":
            table["step"] = table["step"].astype(np.float64)
            return ArrowResult({"cursor": cursor, "points": len(table["step"])}, [table])
        case "csv":
            return StreamResult(_csv(table), "text/csv", _filename(run.name, name, "csv"))
        case "json":
            return StreamResult(_json(table), "application/json", _filename(run.name, name, "json"))
    raise UsageError('Expected "format" to be "frames", "csv" or "json".')


def _series_points(run: Run, params: Mapping[str, Any]) -> tuple[str, Points]:
    """Returns the name and the points of the tag or formula that a request names."""
    if "formula" in params:
        formula = ChartFormula.of(get_str(params, "formula"))
        if formula.problem is not None:
            raise formula.problem
        return formula.text, formula.points(run)
    tag = str(params.get("tag"))
    if not run.has("scalars", tag):
        raise LookupError("This run has no such scalar. GET /api/tags?kind=scalars lists the tags.")
    return tag, Points.of(run, tag)


def _csv(table: Mapping[str, NDArray[Any]]) -> Iterator[bytes]:
    yield b"Wall time,Step,Value,Smoothed\r\n"
    yield from csv_rows([table[name] for name in ("wall", "step", "value", "smoothed")], newline="\r\n")


def _json(table: Mapping[str, NDArray[Any]]) -> Iterator[bytes]:
    yield b"{"
    yield from json_columns(table)
    yield b"}"


def _filename(run: str, tag: str, ending: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", f"{run}-{tag}", flags=re.ASCII).strip("._")
    return f"{plain[:100] or 'series'}.{ending}"


ROUTES = (
    Route("charts", charts, "Several charts, each with its runs on one grid; only what changed since a cursor", "POST"),
    Route("groups", groups, "Charts of groups of runs, each group as one line with a band", "POST"),
    Route("at", at, "The exact points of a chart's lines that are nearest to one x", "POST"),
    Route("extremes", chart_extremes, "The exact minimum and maximum of a chart's lines within a range of x", "POST"),
    Route("formula", formula, "What is wrong with a formula over tags", "POST"),
    Route("tags", tags, "The tags that at least one of the selected runs has", "POST"),
    Download("export", export, "All points of the lines of some charts, as one CSV, JSON or Arrow"),
    Route("points", points, "One series whole: as a table, CSV or JSON", "POST", cached=False),
)
