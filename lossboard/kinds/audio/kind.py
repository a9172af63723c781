from __future__ import annotations

from typing import Any

from lossboard.kinds.audio.decode import AudioStep, audio
from lossboard.kinds.registry import EventKind


def _fields(point: AudioStep) -> dict[str, Any]:
    return {"samples": [{**clip.fields(), "label": clip.label} for clip in point.samples]}


KIND = EventKind(
    name="audio",
    plugins=frozenset({"audio"}),
    series=audio,
    fields=_fields,
    api="lossboard.kinds.audio.api",
)
