"""Download of chart data: every point of the series that some charts show, as one table in CSV, JSON or Arrow."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lossboard.errors import UsageError
from lossboard.kinds.arrow_strings import repeat_strings
from lossboard.kinds.cells import csv_cell
from lossboard.kinds.json_numbers import numbers
from lossboard.kinds.routes import BlobResult
from lossboard.kinds.scalars.chart_query import ChartQuery
from lossboard.kinds.scalars.charts import Runs, shown_series

if TYPE_CHECKING:
    from lossboard.kinds.scalars.charts import Series
    from lossboard.series_math.smoothing import SmoothingCache

_MAX_ROWS = 20_000_000


@dataclass(frozen=True)
class Line:
    """One series, with the name that the board shows for its run."""

    run: str
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
) -> BlobResult:
    """Returns a file with all lines of some charts. `display_names` maps the name of a run to the name to write."""
    if not isinstance(format, str) or format not in _WRITERS:
        raise UsageError(f'Expected "format" to be one of {", ".join(_WRITERS)}.')
    mime, write = _WRITERS[format]
    found = [(series, query) for query in queries for series in shown_series(runs, query) if not series.hidden]
    if (rows := sum(len(series.points) for series, _ in found)) > _MAX_ROWS:
        raise UsageError(f"{rows:,} points are too many for a browser. Use `lossboard export` to write them to a file.")
    with_x = any(query.x.quantity == "tag" for query in queries)
    lines = [
        Line(display_names.get(series.run.name, series.run.name), series.tag, _columns(series, query, smoothed, with_x))
        for series, query in found
    ]
    return BlobResult(write(lines), mime, f"scalars.{format}")


def _columns(series: Series, query: ChartQuery, smoothed: SmoothingCache, with_x: bool) -> dict[str, NDArray[Any]]:
    points = series.points
    columns: dict[str, NDArray[Any]] = {"step": points.steps, "wall_time": points.wall_times}
    if with_x:
        columns["x"] = query.x.values(series.run, points)
    values = np.asarray(series.line(query, smoothed)[3], np.float64)
    return columns | {"value": points.values, "smoothed": values}


def _heads(lines: Sequence[Line]) -> list[str]:
    return list(lines[0].columns) if lines else ["step", "wall_time", "value", "smoothed"]


def _csv(lines: Sequence[Line]) -> bytes:
    out = [",".join(["run", "tag", *_heads(lines)])]
    for line in lines:
        names = f"{csv_cell(line.run)},{csv_cell(line.tag)}"
        columns = [map(repr, column.tolist()) for column in line.columns.values()]
        out += [f"{names},{','.join(row)}" for row in zip(*columns, strict=True)]
    return ("\n".join(out) + "\n").encode("utf-8", "replace")


def _json(lines: Sequence[Line]) -> bytes:
    series = [
        {"run": line.run, "tag": line.tag} | {name: numbers(column) for name, column in line.columns.items()}
        for line in lines
    ]
    return json.dumps(series, ensure_ascii=False).encode("utf-8", "replace")


def _arrow(lines: Sequence[Line]) -> bytes:
    import nanoarrow as na
    from nanoarrow.ipc import StreamWriter

    heads = _heads(lines)
    types = {name: na.int64() if name == "step" else na.float64() for name in heads}
    schema = na.c_schema(na.struct({"run": na.string(), "tag": na.string()} | types))
    out = io.BytesIO()
    with StreamWriter.from_writable(out) as writer:
        writer.write_stream(na.c_array_stream(na.c_array([], schema)))
        for line in lines:
            texts = [repeat_strings([text], [len(line)]) for text in (line.run, line.tag)]
            columns = [
                na.c_array_from_buffers(types[name], len(line), [None, np.ascontiguousarray(line.columns[name])])
                for name in heads
            ]
            writer.write_array(na.c_array_from_buffers(schema, len(line), [None], children=[*texts, *columns]))
    return out.getvalue()


_WRITERS: Mapping[str, tuple[str, Any]] = {
    "csv": ("text/csv", _csv),
    "json": ("application/json", _json),
    "arrow": ("application/vnd.apache.arrow.stream", _arrow),
}
