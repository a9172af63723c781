from __future__ import annotations

from typing import Any

from lossboard.kinds.registry import EventKind
from lossboard.kinds.tensors.decode import TensorStep, tensors


def _fields(point: TensorStep) -> dict[str, Any]:
    return {"dtype": point.dtype, "shape": point.shape}


KIND = EventKind(name="tensors", series=tensors, fields=_fields, api="lossboard.kinds.tensors.api")
