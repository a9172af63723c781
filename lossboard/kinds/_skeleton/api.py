"""HTTP routes of skeletons."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lossboard.kinds._skeleton.decode import PLUGIN, skeletons
from lossboard.kinds.media import MAX_SHOWN_BYTES, list_series
from lossboard.kinds.routes import Route, RouteResult

if TYPE_CHECKING:
    from lossboard.kinds.context import Context


def series(context: Context, params: Mapping[str, Any]) -> RouteResult:
    open_series = partial(skeletons, max_bytes=MAX_SHOWN_BYTES)
    return list_series(context, params, PLUGIN, open_series, lambda point: {"shape": point.shape})


ROUTES = (Route("series", series, "Series of the selected runs, with their steps and the shape at the newest", "POST"),)
