from __future__ import annotations

from dataclasses import asdict
from typing import Any

from lossboard.kinds.custom_scalars.decode import Chart, LayoutStep, custom_scalars
from lossboard.kinds.registry import EventKind


def _fields(point: LayoutStep) -> dict[str, Any]:
    """Returns the layout with the field names of the protobuf message."""
    categories = [
        {"title": category.title, "closed": category.closed, "chart": [_chart(chart) for chart in category.charts]}
        for category in point.categories
    ]
    return {"layout": {"category": categories}}


def _chart(chart: Chart) -> dict[str, Any]:
    if chart.multiline is not None:
        return {"title": chart.title, "multiline": {"tag": chart.multiline}}
    if chart.margin is not None:
        return {"title": chart.title, "margin": {"series": [asdict(margin) for margin in chart.margin]}}
    return {"title": chart.title}


KIND = EventKind(name="custom_scalars", plugins=frozenset({"custom_scalars"}), series=custom_scalars, fields=_fields)
