from __future__ import annotations

from typing import Any

from lossboard.kinds.histograms.decode import HistogramStep, histograms
from lossboard.kinds.json_numbers import numbers
from lossboard.kinds.registry import EventKind


def _fields(point: HistogramStep) -> dict[str, Any]:
    return {"buckets": numbers(point.buckets), "distribution": numbers(point.distribution)}


KIND = EventKind(
    name="histograms",
    plugins=frozenset({"histograms"}),
    series=histograms,
    fields=_fields,
    api="lossboard.kinds.histograms.api",
)
