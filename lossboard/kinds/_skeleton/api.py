"""HTTP routes of skeletons."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from lossboard.kinds._skeleton.decode import PLUGIN, SkeletonStep, skeletons
from lossboard.kinds._skeleton.documents import SkeletonSeries, SkeletonSeriesList
from lossboard.kinds.context import Context
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, list_series
from lossboard.kinds.routes import JsonResult, Route

_shown = partial(skeletons, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[SkeletonSeriesList]:
    cursor = context.logdir.cursor
    found = [_describe(one, newest) for one, newest in list_series(context, params, PLUGIN, _shown)]
    return JsonResult({"cursor": cursor, "series": found})


def _describe(series: MediaSeries, newest: SkeletonStep | None) -> SkeletonSeries:
    described = cast(SkeletonSeries, series)  # all further fields are optional
    if newest is not None:
        described["shape"] = newest.shape
    return described


ROUTES = (Route("series", series, "Series of the selected runs, with their steps and the shape at the newest", "POST"),)
