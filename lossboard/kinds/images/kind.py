from __future__ import annotations

from hashlib import sha256
from typing import Any

from lossboard.kinds.images.decode import Image, ImageStep, images
from lossboard.kinds.registry import EventKind


def _fields(point: ImageStep) -> dict[str, Any]:
    return {"samples": [_sample(image) for image in point.samples]}


def _sample(image: Image) -> dict[str, Any]:
    digest = sha256(image.data).hexdigest()
    sizes = {"width": image.width, "height": image.height}
    return {"sha256": digest, "bytes": len(image.data), "mime": image.mime, **sizes}


KIND = EventKind(
    name="images",
    plugins=frozenset({"images"}),
    series=images,
    fields=_fields,
    api="lossboard.kinds.images.api",
)
