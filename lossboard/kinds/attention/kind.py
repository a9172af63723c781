from __future__ import annotations

from hashlib import sha256
from typing import Any

from lossboard.kinds.attention.decode import AttentionStep, attentions
from lossboard.kinds.attention.encode import PLUGIN
from lossboard.kinds.registry import EventKind


def _fields(point: AttentionStep) -> dict[str, Any]:
    digest = sha256(point.packed).hexdigest()
    return {"tokens": point.tokens, "layers": point.layers, "heads": point.heads, "sha256": digest}


KIND = EventKind(name="attention", plugins=frozenset({PLUGIN}), series=attentions, fields=_fields)
