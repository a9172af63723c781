from __future__ import annotations

from hashlib import sha256
from typing import Any

from lossboard.kinds.audio.decode import AudioStep, Clip, audio
from lossboard.kinds.registry import EventKind


def _fields(point: AudioStep) -> dict[str, Any]:
    return {"samples": [_sample(clip) for clip in point.samples]}


def _sample(clip: Clip) -> dict[str, Any]:
    digest = sha256(clip.data).hexdigest()
    return {"sha256": digest, "bytes": len(clip.data), "mime": clip.mime, "label": clip.label}


KIND = EventKind(
    name="audio",
    plugins=frozenset({"audio"}),
    series=audio,
    fields=_fields,
    api="lossboard.kinds.audio.api",
)
