from __future__ import annotations

from hashlib import sha256
from typing import Any

from lossboard.kinds.attention.decode import AttentionStep, attentions
from lossboard.kinds.attention.encode import PLUGIN, visible_tag
from lossboard.kinds.registry import EventKind


def _fields(point: AttentionStep) -> dict[str, Any]:
    digest = sha256(point.measured.tobytes() + point.packed_thumbnails).hexdigest()
    described = {"tokens": point.tokens, "layers": point.layers, "heads": point.heads, "sha256": digest}
    return described if point.keys == point.tokens else {**described, "keys": point.keys}


KIND = EventKind(
    name="attention",
    plugins=frozenset({PLUGIN}),
    visible_tag=visible_tag,
    series=attentions,
    fields=_fields,
    api="lossboard.kinds.attention.api",
)
