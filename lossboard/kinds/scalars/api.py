"""What scalars answer: many charts at once, the points under the pointer, one series whole."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import UsageError
from lossboard.kinds.asked import interval, number
from lossboard.kinds.numbers import numbers
from lossboard.kinds.registry import Answer, Arrow, Blob, Json, Route
from lossboard.kinds.scalars.charts import build, has_changed, points_at
from lossboard.kinds.scalars.download import download
from lossboard.kinds.scalars.question import parse_charts
from lossboard.query.index import index_of
from lossboard.query.runs import choose_runs, find_run
from lossboard.query.smooth import Smoothing

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir


def charts(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    cursor = logdir.cursor
    runs = index_of(logdir).of(choose_runs(logdir, parameters.get("runs")))
    since = parameters.get("since")
    heads: list[dict[str, Any]] = []
    tables: list[Mapping[str, Any]] = []
    for question in parse_charts(parameters):
        if isinstance(since, int) and not has_changed(runs, question, since):
            heads.append({"key": question.key, "unchanged": True})
            continue
        head, own = build(runs, question)
        heads.append(head)
        tables += own
    return Arrow({"cursor": cursor, "charts": heads}, tables)


def at(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    cursor, x = logdir.cursor, number(parameters, "x")
    runs = index_of(logdir).of(choose_runs(logdir, parameters.get("runs")))
    answers = [
        {"key": question.key, "lines": list(points_at(runs, question, x))} for question in parse_charts(parameters)
    ]
    return Json({"cursor": cursor, "charts": answers})


def export(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    runs = index_of(logdir).of(choose_runs(logdir, parameters.get("runs")))
    names = parameters.get("names", {})
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
        raise UsageError('Expected "names" to be an object with a name for each id.')
    return download(runs, parse_charts(parameters), names, parameters.get("format"))


def points(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    run, tag = find_run(logdir, parameters.get("run")), str(parameters.get("tag"))
    if not run.has("scalars", tag):
        raise LookupError("This run has no such scalar. Ask /api/tags for the tags that are there.")
    column = run.column(tag)
    smoothing = Smoothing.parse(parameters.get("smoothing"))
    table = {
        "step": column.steps.astype(np.float64),
        "wall": column.wall_times,
        "value": column.values,
        "smoothed": smoothing.apply(column.values),
    }
    if (wanted := interval(parameters.get("range"), "range")) is not None:
        inside = (column.steps >= wanted[0]) & (column.steps <= wanted[1])
        table = {name: values[inside] for name, values in table.items()}
    match parameters.get("format", "frames"):
        case "frames":
            return Arrow({"cursor": logdir.cursor, "points": len(table["step"])}, [table])
        case "csv":
            return Blob(_csv(table).encode(), "text/csv", _filename(run.name, tag, "csv"))
        case "json":
            return Blob(_json(table).encode(), "application/json", _filename(run.name, tag, "json"))
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
