"""Download of chart data: every point of the lines that some charts show, as one table in CSV, JSON or Arrow."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lossboard.errors import UsageError
from lossboard.kinds.arrow_strings import repeat_strings
from lossboard.kinds.cells import csv_cell
from lossboard.kinds.routes import StreamResult
from lossboard.kinds.scalars.chart_formulas import Runs
from lossboard.kinds.scalars.chart_query import ChartQuery
from lossboard.kinds.scalars.charts import shown_series
from lossboard.kinds.scalars.group_charts import Grouping, group_lines
from lossboard.kinds.scalars.row_writers import MAX_ROWS, csv_rows, json_columns

if TYPE_CHECKING:
    from lossboard.kinds.scalars.charts import Series
    from lossboard.series_math.smoothing import SmoothingCache

_ROWS_PER_BATCH = 500_000


@dataclass(frozen=True)
class Line:
    """One series, with the name that the board shows for its run or group."""

    name: str
    tag: str
    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.columns["step"])


def download(
    runs: Runs,
    queries: Sequence[ChartQuery],
    *,
    smoothed: SmoothingCache,
    display_names: Mapping[str, str],
    format: object,
) -> StreamResult:
    """Returns a file with all lines of some charts. `display_names` maps the name of a run to the name to write."""
    found = [(series, query) for query in queries for series in shown_series(runs, query) if not series.hidden]
    _check_rows(sum(len(series.points) for series, _ in found))
    with_x = any(query.x.quantity == "tag" for query in queries)
    lines = (
        Line(
            display_names.get(series.run.name, series.run.name),
            query.title_of(series.tag),
            _columns(series, query, smoothed, with_x),
        )
        for series, query in found
    )
    heads = ["step", "wall_time", *(["x"] if with_x else []), "value", "smoothed"]
    return _write(lines, heads, name="run", format=format)


def download_groups(runs: Runs, queries: Sequence[ChartQuery], grouping: Grouping, *, format: object) -> StreamResult:
    """Returns a file with the lines and bands of groups."""
    found = [(line, query) for query in queries for line in group_lines(runs, query, grouping)]
    _check_rows(sum(len(line.curve.steps) for line, _ in found))
    lines = (
        Line(
            grouping.labels.get(line.group, line.group),
            query.title_of(line.tag),
            {
                "step": line.curve.steps,
                "n": line.curve.n,
                grouping.center: line.curve.center,
                "low": line.curve.low,
                "high": line.curve.high,
                "smoothed": np.asarray(line.smoothed, np.float64),
            },
        )
        for line, query in found
    )
    return _write(lines, ["step", "n", grouping.center, "low", "high", "smoothed"], name="group", format=format)


def _check_rows(rows: int) -> None:
    if rows > MAX_ROWS:
        raise UsageError(f"{rows:,} points are too many for a browser. Use `lossboard export` to write them to a file.")


def _write(lines: Iterator[Line], heads: Sequence[str], *, name: str, format: object) -> StreamResult:
    """Returns a file with lines. `name` is the head of the column with their names."""
    if not isinstance(format, str) or format not in _WRITERS:
        raise UsageError(f'Expected "format" to be one of {", ".join(_WRITERS)}.')
    mime, write = _WRITERS[format]
    return StreamResult(write(lines, heads, name), mime, f"scalars.{format}")


def _columns(series: Series, query: ChartQuery, smoothed: SmoothingCache, with_x: bool) -> dict[str, NDArray[Any]]:
    points = series.points
    columns: dict[str, NDArray[Any]] = {"step": points.steps, "wall_time": points.wall_times}
    if with_x:
        columns["x"] = query.x.values(series.run, points)
    values = np.asarray(series.line(query, smoothed)[3], np.float64)
    return columns | {"value": points.values, "smoothed": values}


def _csv(lines: Iterator[Line], heads: Sequence[str], name: str) -> Iterator[bytes]:
    yield f"{','.join([name, 'tag', *heads])}\n".encode()
    for line in lines:
        yield from csv_rows(list(line.columns.values()), before=f"{csv_cell(line.name)},{csv_cell(line.tag)},")


def _json(lines: Iterator[Line], heads: Sequence[str], name: str) -> Iterator[bytes]:
    before = "["
    for line in lines:
        names = json.dumps({name: line.name, "tag": line.tag}, ensure_ascii=False)
        yield f"{before}{names[:-1]}, ".encode("utf-8", "replace")
        yield from json_columns(line.columns)
        yield b"}"
        before = ", "
    yield b"[]" if before == "[" else b"]"


def _arrow(lines: Iterator[Line], heads: Sequence[str], name: str) -> Iterator[bytes]:
    import nanoarrow as na
    from nanoarrow.ipc import StreamWriter

    types = {head: na.int64() if head in ("step", "n") else na.float64() for head in heads}
    schema = na.c_schema(na.struct({name: na.string(), "tag": na.string()} | types))
    out = io.BytesIO()
    with StreamWriter.from_writable(out) as writer:
        writer.write_stream(na.c_array_stream(na.c_array([], schema)))
        for line in lines:
            for start in range(0, len(line), _ROWS_PER_BATCH):
                part = {head: column[start : start + _ROWS_PER_BATCH] for head, column in line.columns.items()}
                rows = len(part["step"])
                texts = [repeat_strings([text], [rows]) for text in (line.name, line.tag)]
                columns = [
                    na.c_array_from_buffers(types[head], rows, [None, np.ascontiguousarray(part[head])])
                    for head in heads
                ]
                writer.write_array(na.c_array_from_buffers(schema, rows, [None], children=[*texts, *columns]))
                yield _take(out)
    yield _take(out)


def _take(out: io.BytesIO) -> bytes:
    """Returns and removes what was written."""
    written = out.getvalue()
    out.seek(0)
    out.truncate()
    return written


_WRITERS: Mapping[str, tuple[str, Callable[[Iterator[Line], Sequence[str], str], Iterator[bytes]]]] = {
    "csv": ("text/csv", _csv),
    "json": ("application/json", _json),
    "arrow": ("application/vnd.apache.arrow.stream", _arrow),
}
