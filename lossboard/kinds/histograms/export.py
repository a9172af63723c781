"""Export of one histogram tag, exactly as logged: buckets or percentiles of every step, as CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import UsageError
from lossboard.kinds.histograms.decode import BASIS_POINTS, HistogramStep, histograms
from lossboard.kinds.json_numbers import numbers
from lossboard.kinds.params import get_str
from lossboard.kinds.routes import StreamResult
from lossboard.kinds.series import Series

if TYPE_CHECKING:
    from lossboard.kinds.context import Context

_PERCENTILES = ",".join(f"p{point / 100:g}" for point in BASIS_POINTS)


def export(context: Context, params: Mapping[str, Any]) -> StreamResult:
    run, tag = context.find_run(params.get("run")), get_str(params, "tag")
    what = f"{params.get('what', 'buckets')}.{params.get('format', 'csv')}"
    if what not in _WRITERS:
        raise UsageError(f'Expected "what" and "format" to be one of {", ".join(_WRITERS)}.')
    mime = "text/csv" if what.endswith("csv") else "application/json"
    return StreamResult(_WRITERS[what](histograms(run, tag)), mime, f"{tag.replace('/', '-')}-{what}")


def _bucket_rows(series: Series[HistogramStep]) -> Iterator[bytes]:
    yield b"step,wall_time,left,right,count\n"
    for point in series:
        yield "".join(f"{point.step},{point.wall_time!r},{_cells(row)}\n" for row in point.buckets).encode()


def _band_rows(series: Series[HistogramStep]) -> Iterator[bytes]:
    yield f"step,wall_time,{_PERCENTILES}\n".encode()
    for point in series:
        yield f"{point.step},{point.wall_time!r},{_cells(point.distribution)}\n".encode()


def _cells(values: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    return ",".join(map(repr, values.tolist()))


def _objects(field: str) -> Callable[[Series[HistogramStep]], Iterator[bytes]]:
    def write(series: Series[HistogramStep]) -> Iterator[bytes]:
        before = "["
        for point in series:
            document = {"step": point.step, "wall_time": point.wall_time, field: numbers(getattr(point, field))}
            yield (before + json.dumps(document)).encode()
            before = ",\n"
        yield b"]\n" if before != "[" else b"[]\n"

    return write


_WRITERS: dict[str, Callable[[Series[HistogramStep]], Iterator[bytes]]] = {
    "buckets.csv": _bucket_rows,
    "bands.csv": _band_rows,
    "buckets.json": _objects("buckets"),
    "bands.json": _objects("distribution"),
}
