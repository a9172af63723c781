"""Lines to take away: every point of the series that some charts show, as one long table in CSV, JSON or Arrow."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lossboard.errors import UsageError
from lossboard.kinds.arrow_strings import repeat_strings
from lossboard.kinds.cells import csv_cell
from lossboard.kinds.numbers import numbers
from lossboard.kinds.routes import BlobResult
from lossboard.kinds.scalars.chart_query import ChartQuery
from lossboard.kinds.scalars.charts import Runs, shown_series
from lossboard.store.run_ids import run_id

if TYPE_CHECKING:
    from lossboard.kinds.scalars.charts import Series

_MAX_ROWS = 20_000_000


@dataclass(frozen=True)
class Line:
    """One series under the name that the board shows for its run."""

    run: str
    tag: str
    columns: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.columns["step"])


def download(runs: Runs, questions: Sequence[ChartQuery], names: Mapping[str, str], form: object) -> BlobResult:
    """`names` has what to call a run by its id; without, it is called as its folder is."""
    if not isinstance(form, str) or form not in _WRITERS:
        raise UsageError(f'Expected "format" to be one of {", ".join(_WRITERS)}.')
    mime, write = _WRITERS[form]
    found = [series for question in questions for series in _wanted(runs, question)]
    if (rows := sum(len(series.points) for series, _ in found)) > _MAX_ROWS:
        raise UsageError(f"{rows:,} points are too many for a browser. `lossboard export` writes them to a file.")
    with_x = any(question.x.what == "tag" for question in questions)
    lines = [_line(series, question, names, with_x=with_x) for series, question in found]
    return BlobResult(write(lines), mime, f"scalars.{form}")


def _wanted(runs: Runs, question: ChartQuery) -> Iterator[tuple[Series, ChartQuery]]:
    return ((series, question) for series in shown_series(runs, question) if not series.hidden)


def _line(series: Series, question: ChartQuery, names: Mapping[str, str], *, with_x: bool) -> Line:
    points, name = series.points, series.run.name
    columns: dict[str, NDArray[Any]] = {"step": points.steps, "wall_time": points.wall_times}
    if with_x:
        columns["x"] = question.x.values(series.run, points)
    columns |= {"value": points.values, "smoothed": np.asarray(series.line(question)[3], np.float64)}
    return Line(names.get(run_id(name), name), series.tag, columns)


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
