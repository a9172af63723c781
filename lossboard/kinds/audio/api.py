"""What clips answer: which there are, one as it was logged, and how it looks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import DecodeError
from lossboard.kinds.audio.decode import AudioStep, Clip, audio
from lossboard.kinds.audio.spectrogram import spectrogram
from lossboard.kinds.audio.waveform import Pcm, read_wav, waveform
from lossboard.kinds.media import MAX_SHOWN_BYTES, get_point, get_sample, list_series
from lossboard.kinds.mime import ending
from lossboard.kinds.params import get_int, get_objects
from lossboard.kinds.routes import ArrowResult, BlobResult, Download, Route, RouteResult, StreamResult
from lossboard.kinds.zip_download import ZipEntry, zip_download

if TYPE_CHECKING:
    from lossboard.kinds.context import Context

_MAX_CLIPS = 100
_NONE = np.zeros(0, np.float32)

_shown = partial(audio, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> RouteResult:
    return list_series(context, params, "audio", _shown, _newest)


def _newest(point: AudioStep) -> dict[str, Any]:
    return {"samples": len(point.samples), "labels": [clip.label for clip in point.samples]}


def blob(context: Context, params: Mapping[str, Any]) -> RouteResult:
    clip = _asked(context, params)
    return BlobResult(clip.data, clip.mime)


def waveforms(context: Context, params: Mapping[str, Any]) -> RouteResult:
    columns = get_int(params, "columns", default=200, minimum=1, maximum=4000)

    def outline(pcm: Pcm) -> dict[str, Any]:
        wave = waveform(pcm, columns)
        return {"low": wave.low, "high": wave.high}

    return _pictures(context, params, outline, {"low": _NONE, "high": _NONE})


def spectrograms(context: Context, params: Mapping[str, Any]) -> RouteResult:
    columns = get_int(params, "columns", default=200, minimum=1, maximum=1000)
    rows = get_int(params, "rows", default=64, minimum=1, maximum=256)

    def levels(pcm: Pcm) -> dict[str, Any]:
        return {"level": spectrogram(pcm, columns, rows).levels.ravel()}

    return _pictures(context, params, levels, {"level": _NONE.astype(np.uint8)})


def _pictures(
    context: Context, params: Mapping[str, Any], draw: Callable[[Pcm], dict[str, Any]], none: dict[str, Any]
) -> RouteResult:
    """A table for each of the `clips`; one that cannot be drawn says why."""
    cursor, heads = context.logdir.cursor, list[dict[str, Any]]()
    tables = []
    for asked in get_objects(params, "clips", maximum=_MAX_CLIPS):
        clip = _asked(context, asked)
        head: dict[str, Any] = {"label": clip.label, "mime": clip.mime}
        try:
            pcm = read_wav(clip.data)
        except DecodeError as error:
            heads.append({**head, "broken": str(error)})
            tables.append(none)
            continue
        heads.append({**head, "rate_hz": pcm.rate_hz, "channels": pcm.frames.shape[1], "seconds": pcm.seconds})
        tables.append(draw(pcm))
    return ArrowResult({"cursor": cursor, "clips": heads}, tables)


def download(context: Context, params: Mapping[str, Any]) -> StreamResult:
    return zip_download(context, params, _shown, _entries, filename="audio.zip")


def _entries(point: AudioStep) -> Iterator[ZipEntry]:
    return (ZipEntry(clip.data, ending(clip.mime)) for clip in point.samples)


def _asked(context: Context, params: Mapping[str, Any]) -> Clip:
    return get_sample(params, get_point(context, params, _shown).samples)


ROUTES = (
    Route("series", series, "The clips of the chosen runs: tags, steps, samples and labels", "POST"),
    Route("blob", blob, "One clip, its bytes as they were logged"),
    Route("waveforms", waveforms, "The outlines of some clips", "POST"),
    Route("spectrograms", spectrograms, "How loud each pitch of some clips is over time", "POST"),
    Download("zip", download, "Some clips, or every step of some, as one zip"),
)
