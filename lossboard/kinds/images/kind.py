from __future__ import annotations

from typing import Any

from lossboard.kinds.images.decode import ImageStep, images
from lossboard.kinds.registry import EventKind


def _fields(point: ImageStep) -> dict[str, Any]:
    return {"samples": [{**image.fields(), "width": image.width, "height": image.height} for image in point.samples]}


KIND = EventKind(
    name="images",
    plugins=frozenset({"images"}),
    series=images,
    fields=_fields,
    api="lossboard.kinds.images.api",
)
