"""Routes of audio: the series, one clip as logged, waveforms, spectrograms and ZIP downloads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import numpy as np

from lossboard.errors import DecodeError
from lossboard.kinds.audio.decode import AudioStep, audio
from lossboard.kinds.audio.documents import AudioSeries, AudioSeriesList, ClipHead, ClipsHead
from lossboard.kinds.audio.spectrogram import spectrogram
from lossboard.kinds.audio.waveform import Pcm, decoding_bytes, read_wav, waveform
from lossboard.kinds.batches import Missing, read_or_missing
from lossboard.kinds.context import Context
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_sample, list_series, sample_blob
from lossboard.kinds.params import get_int, get_objects
from lossboard.kinds.routes import ArrowResult, BlobResult, Download, JsonResult, Route, StreamResult
from lossboard.kinds.zip_download import sample_entries, zip_download

_MAX_CLIPS = 100
_NONE = np.zeros(0, np.float32)

_shown = partial(audio, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[AudioSeriesList]:
    cursor = context.logdir.cursor
    found = [_describe(one, newest) for one, newest in list_series(context, params, "audio", _shown)]
    return JsonResult({"cursor": cursor, "series": found})


def _describe(series: MediaSeries, newest: AudioStep | None) -> AudioSeries:
    described = cast(AudioSeries, series)  # all further fields are optional
    if newest is not None:
        described |= {"samples": len(newest.samples), "labels": [clip.label for clip in newest.samples]}
    return described


def blob(context: Context, params: Mapping[str, Any]) -> BlobResult:
    return sample_blob(get_sample(context, params, _shown))


def waveforms(context: Context, params: Mapping[str, Any]) -> ArrowResult[ClipsHead]:
    columns = get_int(params, "columns", default=200, minimum=1, maximum=4000)

    def outline(pcm: Pcm) -> dict[str, Any]:
        wave = waveform(pcm, columns)
        return {"low": wave.low, "high": wave.high}

    return _draw_clips(context, params, outline, {"low": _NONE, "high": _NONE})


def spectrograms(context: Context, params: Mapping[str, Any]) -> ArrowResult[ClipsHead]:
    columns = get_int(params, "columns", default=200, minimum=1, maximum=1000)
    rows = get_int(params, "rows", default=64, minimum=1, maximum=256)

    def levels(pcm: Pcm) -> dict[str, Any]:
        return {"level": spectrogram(pcm, columns, rows).levels.ravel()}

    return _draw_clips(context, params, levels, {"level": _NONE.astype(np.uint8)})


def _draw_clips(
    context: Context, params: Mapping[str, Any], draw: Callable[[Pcm], dict[str, Any]], empty: dict[str, Any]
) -> ArrowResult[ClipsHead]:
    """Returns a table for each of the `clips`. One that cannot be drawn has an empty table and an error message."""
    cursor = context.logdir.cursor
    heads: list[ClipHead | Missing] = []
    tables = []
    for each in get_objects(params, "clips", maximum=_MAX_CLIPS):
        clip = read_or_missing(partial(get_sample, context, open_series=_shown), each)
        if isinstance(clip, dict):
            heads.append(clip)
            tables.append(empty)
            continue
        head: ClipHead = {"label": clip.label, "mime": clip.mime}
        try:
            with context.decoding_memory.reserve(decoding_bytes(clip.data)):
                pcm = read_wav(clip.data)
                tables.append(draw(pcm))
        except DecodeError as error:
            heads.append({**head, "broken": str(error)})
            tables.append(empty)
            continue
        heads.append({**head, "rate_hz": pcm.rate_hz, "channels": pcm.frames.shape[1], "seconds": pcm.seconds})
    return ArrowResult({"cursor": cursor, "clips": heads}, tables)


def download(context: Context, params: Mapping[str, Any]) -> StreamResult:
    return zip_download(context, params, _shown, sample_entries, filename="audio.zip")


ROUTES = (
    Route("series", series, "Clips of the selected runs: tags, steps, samples and labels", "POST"),
    Route("blob", blob, "One clip, as logged"),
    Route("waveforms", waveforms, "Waveforms of some clips", "POST"),
    Route("spectrograms", spectrograms, "Spectrograms of some clips", "POST"),
    Download("zip", download, "Some clips, or every step of some series, as one ZIP"),
)
