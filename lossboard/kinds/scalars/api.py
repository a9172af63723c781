"""What scalars answer: many charts at once, the points under the pointer, one series whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import UsageError
from lossboard.kinds.numbers import numbers
from lossboard.kinds.params import get_float, parse_interval
from lossboard.kinds.routes import ArrowResult, BlobResult, JsonResult, Route, RouteResult
from lossboard.kinds.scalars.chart_query import parse_charts
from lossboard.kinds.scalars.charts import build, has_changed, points_at
from lossboard.kinds.scalars.download import download
from lossboard.series_math.smoothing import Smoothing
from lossboard.store.run_ids import find_run, select_runs
from lossboard.store.series_index import index_of

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir


def charts(logdir: Logdir, params: Mapping[str, Any]) -> RouteResult:
    cursor = logdir.cursor
    runs = index_of(logdir).of(select_runs(logdir, params.get("runs")))
    since = params.get("since")
    heads: list[dict[str, Any]] = []
    tables: list[Mapping[str, Any]] = []
    for question in parse_charts(params):
        if isinstance(since, int) and not has_changed(runs, question, since):
            heads.append({"key": question.key, "unchanged": True})
            continue
        head, own = build(runs, question)
        heads.append(head)
        tables += own
    return ArrowResult({"cursor": cursor, "charts": heads}, tables)


def at(logdir: Logdir, params: Mapping[str, Any]) -> RouteResult:
    cursor, x = logdir.cursor, get_float(params, "x")
    runs = index_of(logdir).of(select_runs(logdir, params.get("runs")))
    answers = [{"key": question.key, "lines": list(points_at(runs, question, x))} for question in parse_charts(params)]
    return JsonResult({"cursor": cursor, "charts": answers})


def export(logdir: Logdir, params: Mapping[str, Any]) -> RouteResult:
    runs = index_of(logdir).of(select_runs(logdir, params.get("runs")))
    names = params.get("names", {})
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise UsageError('Expected "names" to be an object with a name for each id.')
    return download(runs, parse_charts(params), names, params.get("format"))


def points(logdir: Logdir, params: Mapping[str, Any]) -> RouteResult:
    run, tag = find_run(logdir, params.get("run")), str(params.get("tag"))
    if not run.has("scalars", tag):
        raise LookupError("This run has no such scalar. Ask /api/tags for the tags that are there.")
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
            return ArrowResult({"cursor": logdir.cursor, "points": len(table["step"])}, [table])
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
    Route("export", export, "All points of the lines of some charts, as one CSV, JSON or Arrow", "POST"),
    Route("points", points, "One series whole: as a table, CSV or JSON", "POST"),
)
