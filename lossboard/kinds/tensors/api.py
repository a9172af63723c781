"""Routes of tensors: the series, a slice, statistics, and .npy files."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from lossboard.errors import DecodeError, UsageError
from lossboard.events.tensors import Array
from lossboard.kinds.context import Context
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_point, list_series
from lossboard.kinds.params import get_int, get_str
from lossboard.kinds.routes import ArrowResult, Download, JsonResult, Route, StreamResult
from lossboard.kinds.tensors.decode import TensorStep, tensors
from lossboard.kinds.tensors.documents import (
    TensorHistoryHead,
    TensorSeries,
    TensorSeriesList,
    TensorSliceHead,
    TensorStatistics,
)
from lossboard.kinds.tensors.slices import Slice, parse_window, reduce_grid, statistics, texts_of

_MAX_SIDE = 1000
_MAX_TEXTS = 2500
_MAX_CHARS = 200
_CHUNK_ELEMENTS = 1 << 17
_MEASURES = ("min", "max", "mean", "std")

_shown = partial(tensors, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[TensorSeriesList]:
    cursor = context.logdir.cursor
    found = [_describe(one, newest) for one, newest in list_series(context, params, "tensors", _shown)]
    return JsonResult({"cursor": cursor, "series": found})


def _describe(series: MediaSeries, newest: TensorStep | None) -> TensorSeries:
    described = cast(TensorSeries, series)  # all further fields are optional
    if newest is not None:
        described |= {"dtype": newest.dtype, "shape": list(newest.shape)}
    return described


def slice_(context: Context, params: Mapping[str, Any]) -> ArrowResult[TensorSliceHead]:
    """Returns a grid of two axes. A large one is reduced on the server, unless the window is small."""
    rows, columns = (get_int(params, name, default=256, minimum=1, maximum=_MAX_SIDE) for name in ("rows", "columns"))
    cursor = context.logdir.cursor
    point = get_point(context, params, _shown)
    chosen = Slice.parse(point.shape, params.get("index"))
    is_text = point.dtype == "string"
    whole = chosen.grid(texts_of(point.tensor.strings(), point.shape) if is_text else point.array())
    window = parse_window(params.get("window"), (whole.shape[0], whole.shape[1]))
    top, bottom, left, right = window
    grid = whole[top:bottom, left:right]
    head: TensorSliceHead = {
        "cursor": cursor,
        "step": point.step,
        "dtype": point.dtype,
        "shape": list(point.shape),
        "index": list(chosen.index),
        "size": (whole.shape[0], whole.shape[1]),
        "window": window,
        "rows": min(grid.shape[0], rows),
        "columns": min(grid.shape[1], columns),
        "exact": grid.shape[0] <= rows and grid.shape[1] <= columns,
    }
    if is_text:
        return ArrowResult(head | _texts(grid, rows, columns), [{"value": np.zeros(0)}])
    return ArrowResult(head, [{"value": reduce_grid(grid, rows, columns).ravel()}])


def _texts(grid: Array, rows: int, columns: int) -> Any:
    across = min(grid.shape[1], columns)
    down = min(grid.shape[0], rows, max(1, _MAX_TEXTS // max(1, across)))
    part = grid[:down, :across]
    texts = [text if len(text) <= _MAX_CHARS else f"{text[:_MAX_CHARS]}…" for text in part.ravel().tolist()]
    return {"texts": texts, "rows": down, "columns": across, "exact": part.shape == grid.shape}


def describe(context: Context, params: Mapping[str, Any]) -> JsonResult[TensorStatistics]:
    """Returns statistics of a whole tensor, or of a slice if there is an `index`."""
    cursor = context.logdir.cursor
    point = get_point(context, params, _shown)
    found = cast(TensorStatistics, statistics(_part(point, params.get("index"))))
    return JsonResult({**found, "cursor": cursor})


def _part(point: TensorStep, index: object) -> Array:
    array = point.array()
    return array if index is None else Slice.parse(point.shape, index).grid(array)


def history(context: Context, params: Mapping[str, Any]) -> ArrowResult[TensorHistoryHead]:
    columns = get_int(params, "columns", default=100, minimum=2, maximum=1000)
    cursor = context.logdir.cursor
    run, tag = context.find_run(params.get("run")), get_str(params, "tag")
    found = _shown(run, tag)
    chosen = found.evenly(columns)
    rows: list[tuple[float, ...]] = []
    for point in chosen:
        try:
            values = statistics(_part(point, params.get("index")))
        except (DecodeError, UsageError):  # it has no numbers, or a shape without this slice
            continue
        rows.append((point.step, *(math.nan if values[name] is None else values[name] for name in _MEASURES)))
    table = np.array(rows, np.float64).reshape(len(rows), 1 + len(_MEASURES)).T.copy()
    head: TensorHistoryHead = {"cursor": cursor, "steps": len(found), "skipped": len(chosen) - len(rows)}
    return ArrowResult(head, [dict(zip(("step", *_MEASURES), table, strict=True))])


def npy(context: Context, params: Mapping[str, Any]) -> StreamResult:
    """Returns a whole tensor, exactly as logged."""
    point = get_point(context, params, tensors)
    if point.dtype == "string":
        raise UsageError("A tensor of strings has no .npy file, because NumPy would need pickle to read it.")
    name = f"{get_str(params, 'tag').replace('/', '-')}-{point.step}.npy"
    return StreamResult(_npy_parts(np.ascontiguousarray(point.array())), "application/octet-stream", name)


def _npy_parts(array: Array) -> Iterator[bytes]:
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    yield head.getvalue()
    flat = array.reshape(-1)
    for start in range(0, flat.size, _CHUNK_ELEMENTS):
        yield flat[start : start + _CHUNK_ELEMENTS].tobytes()


ROUTES = (
    Route("series", series, "Tensors of the selected runs: tags, steps, types and shapes", "POST"),
    Route("slice", slice_, "Two axes of a tensor as a grid", "POST"),
    Route("statistics", describe, "Statistics of a tensor or of a slice", "POST"),
    Route("history", history, "Statistics of a tensor or of a slice by step", "POST"),
    Download("npy", npy, "One tensor as a NumPy file", "GET"),
)
