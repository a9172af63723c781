from __future__ import annotations

from typing import Any

from lossboard.kinds.json_numbers import numbers
from lossboard.kinds.pr_curves.decode import ROWS, PrCurveStep, pr_curves
from lossboard.kinds.registry import EventKind


def _fields(point: PrCurveStep) -> dict[str, Any]:
    return dict(zip(ROWS, numbers(point.rows), strict=True))


KIND = EventKind(
    name="pr_curves",
    plugins=frozenset({"pr_curves"}),
    series=pr_curves,
    fields=_fields,
    api="lossboard.kinds.pr_curves.api",
)
