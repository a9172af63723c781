from __future__ import annotations

from typing import Any

from lossboard.kinds.registry import EventKind
from lossboard.kinds.text.decode import TextStep, text


def _fields(point: TextStep) -> dict[str, Any]:
    return {"text": point.texts, "shape": point.shape}


KIND = EventKind(
    name="text",
    plugins=frozenset({"text"}),
    series=text,
    fields=_fields,
    api="lossboard.kinds.text.api",
)
