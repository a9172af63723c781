"""Routes of PR curves: the series, some curves, measures over steps, and exports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from lossboard.errors import UsageError
from lossboard.kinds.batches import Missing, read_or_missing
from lossboard.kinds.context import Context
from lossboard.kinds.limits import MAX_RESPONSE_BYTES, check_size
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_point, list_series
from lossboard.kinds.params import get_float, get_int, get_objects, get_str
from lossboard.kinds.pr_curves.decode import ROWS, PrCurveStep, pr_curves
from lossboard.kinds.pr_curves.documents import (
    PrCurveHead,
    PrCurvesHead,
    PrHistoriesHead,
    PrHistoryHead,
    PrSeries,
    PrSeriesList,
)
from lossboard.kinds.pr_curves.measures import (
    at_threshold,
    average_precision,
    class_sizes,
    drawn_length,
    f1_score,
    roc_area,
)
from lossboard.kinds.routes import ArrowResult, Download, JsonResult, Route, StreamResult
from lossboard.kinds.series import Series

_MAX_CURVES = 500
_MAX_SERIES = 100
_MEASURES = ("step", "precision", "recall", "f1", "area")

_shown = partial(pr_curves, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[PrSeriesList]:
    cursor = context.logdir.cursor
    found = [_describe(one, newest) for one, newest in list_series(context, params, "pr_curves", _shown)]
    return JsonResult({"cursor": cursor, "series": found})


def _describe(series: MediaSeries, newest: PrCurveStep | None) -> PrSeries:
    described = cast(PrSeries, series)  # all further fields are optional
    if newest is not None:
        described["thresholds"] = newest.rows.shape[1]
    return described


def curves(context: Context, params: Mapping[str, Any]) -> ArrowResult[PrCurvesHead]:
    cursor = context.logdir.cursor
    heads: list[PrCurveHead | Missing] = []
    tables = []
    size = 0
    for each in get_objects(params, "curves", maximum=_MAX_CURVES):
        point = read_or_missing(partial(get_point, context, open_series=_shown), each)
        if isinstance(point, dict):
            heads.append(point)
            continue
        size += point.rows.nbytes
        check_size(size, MAX_RESPONSE_BYTES, "bytes", "Request fewer curves.")
        heads.append(_head(point))
        tables.append(dict(zip(ROWS, point.rows, strict=True)))
    return ArrowResult({"cursor": cursor, "curves": heads}, tables)


def _head(point: PrCurveStep) -> PrCurveHead:
    positives, others = class_sizes(point.rows) or (None, None)
    return {
        "step": point.step,
        "wall": point.wall_time,
        "drawn": drawn_length(point.rows),
        "positives": positives,
        "others": others,
        "area": average_precision(point.rows),
        "roc_area": roc_area(point.rows),
    }


def history(context: Context, params: Mapping[str, Any]) -> ArrowResult[PrHistoriesHead]:
    threshold = get_float(params, "threshold")
    if not 0 <= threshold <= 1:
        raise UsageError('Expected "threshold" to be a number from 0 to 1.')
    columns = get_int(params, "columns", default=200, minimum=2, maximum=2000)
    cursor = context.logdir.cursor

    def read(each: Mapping[str, Any]) -> tuple[PrHistoryHead, Mapping[str, Any]]:
        series = _shown(context.find_run(each.get("run")), get_str(each, "tag"))
        chosen = series.evenly(columns)
        table = _measure(chosen, threshold)
        return {"steps": len(series), "skipped": chosen.skipped}, table

    found = [read_or_missing(read, each) for each in get_objects(params, "series", maximum=_MAX_SERIES)]
    heads = [one if isinstance(one, dict) else one[0] for one in found]
    return ArrowResult({"cursor": cursor, "series": heads}, [one[1] for one in found if not isinstance(one, dict)])


def _measure(series: Series[PrCurveStep], threshold: float) -> Mapping[str, Any]:
    rows = []
    for point in series:
        if point.rows.shape[1]:
            precision, recall = point.rows[4:, at_threshold(point.rows, threshold)]
            area = average_precision(point.rows)
            rows.append(
                (point.step, precision, recall, f1_score(precision, recall), math.nan if area is None else area)
            )
    columns = np.array(rows, np.float64).reshape(len(rows), len(_MEASURES))
    return dict(zip(_MEASURES, columns.T.copy(), strict=True))


def export(context: Context, params: Mapping[str, Any]) -> StreamResult:
    """Returns every step of one series, exactly as logged."""
    run, tag = context.find_run(params.get("run")), get_str(params, "tag")
    return StreamResult(_csv_lines(pr_curves(run, tag)), "text/csv", f"{tag.replace('/', '-')}-pr.csv")


def _csv_lines(series: Series[PrCurveStep]) -> Iterator[bytes]:
    yield f"step,wall_time,threshold,{','.join(ROWS)}\n".encode()
    for point in series:
        columns = np.vstack((point.thresholds, point.rows)).T.tolist()
        before = f"{point.step},{point.wall_time!r}"
        yield "".join(f"{before},{','.join(map(repr, row))}\n" for row in columns).encode()


ROUTES = (
    Route("series", series, "PR curves of the selected runs: tags, steps and thresholds", "POST"),
    Route("curves", curves, "Some curves, with their counts and areas", "POST"),
    Route("history", history, "Precision, recall, F1 and area of some series by step", "POST"),
    Download("export", export, "Every step of one series, as CSV", "GET"),
)
