from __future__ import annotations

from typing import Any

from lossboard.kinds.numbers import number
from lossboard.kinds.registry import Kind
from lossboard.kinds.scalars.decode import ScalarPoint, scalar_points


def _fields(point: ScalarPoint) -> dict[str, Any]:
    return {"value": number(point.value)}


KIND = Kind(
    name="scalars",
    plugins=frozenset({"scalars"}),
    series=scalar_points,
    fields=_fields,
    api="lossboard.kinds.scalars.api",
)
