"""What clips answer: which there are, one as it was logged, and how it looks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import DecodeError
from lossboard.kinds.asked import objects, whole
from lossboard.kinds.audio.decode import AudioStep, Clip, audio
from lossboard.kinds.audio.waveform import waveform
from lossboard.kinds.registry import Answer, Arrow, Blob, Route
from lossboard.kinds.steps import list_series, point_asked, sample_asked

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir

_MAX_CLIPS = 100
_NONE = np.zeros(0, np.float32)


def series(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    return list_series(logdir, parameters, "audio", audio, _newest)


def _newest(point: AudioStep) -> dict[str, Any]:
    return {"samples": len(point.samples), "labels": [clip.label for clip in point.samples]}


def blob(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    clip = _asked(logdir, parameters)
    return Blob(clip.data, clip.mime)


def waveforms(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    """A clip that has no waveform says why, and has an empty table."""
    columns = whole(parameters, "columns", 200, least=1, most=4000)
    heads: list[dict[str, Any]] = []
    tables: list[Mapping[str, Any]] = []
    for asked in objects(parameters, "clips", most=_MAX_CLIPS):
        clip = _asked(logdir, asked)
        head: dict[str, Any] = {"label": clip.label, "mime": clip.mime}
        try:
            wave = waveform(clip.data, columns)
        except DecodeError as error:
            heads.append({**head, "broken": str(error)})
            tables.append({"low": _NONE, "high": _NONE})
            continue
        heads.append({**head, "rate_hz": wave.rate_hz, "channels": wave.channels, "seconds": wave.seconds})
        tables.append({"low": wave.low, "high": wave.high})
    return Arrow({"cursor": logdir.cursor, "clips": heads}, tables)


def _asked(logdir: Logdir, parameters: Mapping[str, Any]) -> Clip:
    return sample_asked(parameters, point_asked(logdir, parameters, audio).samples)


ROUTES = (
    Route("series", series, "The clips of the chosen runs: tags, steps, samples and labels", "POST"),
    Route("blob", blob, "One clip, its bytes as they were logged"),
    Route("waveforms", waveforms, "The outlines of some clips", "POST"),
)
