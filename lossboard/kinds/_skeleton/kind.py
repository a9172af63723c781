from __future__ import annotations

from typing import Any

from lossboard.kinds._skeleton.decode import SkeletonStep, skeletons
from lossboard.kinds.registry import Kind


def _fields(point: SkeletonStep) -> dict[str, Any]:
    return {"shape": point.shape}


KIND = Kind(name="skeleton", plugins=frozenset({"skeleton"}), series=skeletons, fields=_fields)
