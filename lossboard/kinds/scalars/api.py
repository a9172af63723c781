"""Routes of scalars: charts, the points under the pointer, exports and complete series."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from lossboard.errors import UsageError
from lossboard.kinds.context import Context
from lossboard.kinds.json_numbers import numbers
from lossboard.kinds.params import get_float, parse_interval
from lossboard.kinds.routes import ArrowResult, BlobResult, JsonResult, Route
from lossboard.kinds.scalars.budget import check_budget
from lossboard.kinds.scalars.chart_query import parse_charts
from lossboard.kinds.scalars.charts import Runs, build, has_changed, points_at
from lossboard.kinds.scalars.documents import (
    AtChart,
    AtResponse,
    ChartHead,
    ChartsHead,
    PointsHead,
    PresentTags,
    UnchangedChart,
)
from lossboard.kinds.scalars.download import download
from lossboard.series_math.smoothing import Smoothing, SmoothingCache

_SMOOTHED_BYTES = 64 << 20


def charts(context: Context, params: Mapping[str, Any]) -> ArrowResult[ChartsHead]:
    cursor, runs, smoothed = context.logdir.cursor, _runs(context, params), _smoothed(context)
    queries, since = parse_charts(params), params.get("since")
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


def at(context: Context, params: Mapping[str, Any]) -> JsonResult[AtResponse]:
    cursor, runs, smoothed = context.logdir.cursor, _runs(context, params), _smoothed(context)
    x = get_float(params, "x")
    charts: list[AtChart] = [
        {"key": query.key, "lines": list(points_at(runs, query, smoothed, x))} for query in parse_charts(params)
    ]
    return JsonResult({"cursor": cursor, "charts": charts})


def tags(context: Context, params: Mapping[str, Any]) -> JsonResult[PresentTags]:
    cursor = context.logdir.cursor
    present = {tag for _, series in _runs(context, params) for plugin, tag in series if plugin == "scalars"}
    return JsonResult({"cursor": cursor, "tags": sorted(present)})


def export(context: Context, params: Mapping[str, Any]) -> BlobResult:
    return download(
        _runs(context, params),
        parse_charts(params),
        smoothed=_smoothed(context),
        display_names=context.display_names(),
        format=params.get("format"),
    )


def _runs(context: Context, params: Mapping[str, Any]) -> Runs:
    return context.index.of(context.select_runs(params.get("runs")))


def _smoothed(context: Context) -> SmoothingCache:
    return SmoothingCache(context.caches.get("smoothed scalars", max_size=_SMOOTHED_BYTES))


def points(context: Context, params: Mapping[str, Any]) -> ArrowResult[PointsHead] | BlobResult:
    cursor, run, tag = context.logdir.cursor, context.find_run(params.get("run")), str(params.get("tag"))
    if not run.has("scalars", tag):
        raise LookupError("This run has no such scalar. GET /api/tags?kind=scalars lists the tags.")
    column = run.column(tag)
    smoothing = Smoothing.parse(params.get("smoothing"))
    table = {
        "step": column.steps.astype(np.float64),
        "wall": column.wall_times,
        "value": column.values,
        "smoothed": smoothing.apply(column.values),
    }
    if (wanted := parse_interval(params.get("range"), "range")) is not None:
        inside = (column.steps >= wanted[0]) & (column.steps <= wanted[1])
        table = {name: values[inside] for name, values in table.items()}
    match params.get("format", "frames"):
        case "frames":
            return ArrowResult({"cursor": cursor, "points": len(table["step"])}, [table])
        case "csv":
            return BlobResult(_csv(table).encode(), "text/csv", _filename(run.name, tag, "csv"))
        case "json":
            return BlobResult(_json(table).encode(), "application/json", _filename(run.name, tag, "json"))
    raise UsageError('Expected "format" to be "frames", "csv" or "json".')


def _csv(table: Mapping[str, Any]) -> str:
    columns = (table[name].tolist() for name in ("wall", "step", "value", "smoothed"))
    lines = (
        f"{wall!r},{int(step)},{value!r},{smoothed!r}" for wall, step, value, smoothed in zip(*columns, strict=True)
    )
    return "\r\n".join(["Wall time,Step,Value,Smoothed", *lines, ""])


def _json(table: Mapping[str, Any]) -> str:
    return json.dumps({name: numbers(values) for name, values in table.items()})


def _filename(run: str, tag: str, ending: str) -> str:
    plain = re.sub(r"[^\w.-]+", "_", f"{run}-{tag}", flags=re.ASCII).strip("._")
    return f"{plain[:100] or 'series'}.{ending}"


ROUTES = (
    Route("charts", charts, "Several charts, each with its runs on one grid; only what changed since a cursor", "POST"),
    Route("at", at, "The exact points of a chart's lines that are nearest to one x", "POST"),
    Route("tags", tags, "The tags that at least one of the selected runs has", "POST"),
    Route("export", export, "All points of the lines of some charts, as one CSV, JSON or Arrow", "POST"),
    Route("points", points, "One series whole: as a table, CSV or JSON", "POST"),
)
