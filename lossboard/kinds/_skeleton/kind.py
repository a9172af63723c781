from __future__ import annotations

from typing import Any

from lossboard.kinds._skeleton.decode import PLUGIN, SkeletonStep, skeletons
from lossboard.kinds.registry import EventKind


def _fields(point: SkeletonStep) -> dict[str, Any]:
    return {"shape": point.shape}


KIND = EventKind(
    name="skeleton",
    plugins=frozenset({PLUGIN}),
    series=skeletons,
    fields=_fields,
    api="lossboard.kinds._skeleton.api",
)
