"""Waveform of a WAV clip: minimum and maximum sample in each column.

WAV: RIFF <size> WAVE, then chunks of name, size, data; `fmt ` has format, channels, rate and bits, `data` has the
frames.
Read: 8, 16, 24, 32-bit PCM and 32, 64-bit float; of a truncated file, what is there. Not read: compressed formats.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError

_EXTENSIBLE = 0xFFFE
_MAX_CHANNELS = 64
_MAX_SAMPLES = 50_000_000
"""About 20 minutes at 44.1 kHz. More samples would take over 400 MB."""


@dataclass(frozen=True)
class Pcm:
    """Samples of a clip, [frames, channels], from −1 to 1."""

    rate_hz: int
    frames: npt.NDArray[np.float64]

    @property
    def seconds(self) -> float:
        return len(self.frames) / self.rate_hz


@dataclass(frozen=True)
class Waveform:
    """Minimum and maximum over all channels."""

    low: npt.NDArray[np.float32]
    high: npt.NDArray[np.float32]


def decoding_bytes(data: bytes) -> int:
    """Returns how much memory it takes to draw a clip, at most: 8-bit samples become numbers of 64 bits, twice."""
    return 16 * len(data)


def read_wav(data: bytes) -> Pcm:
    form, channels, rate_hz, bits, body = _chunks(data)
    samples = _samples(form, bits, body)
    count = len(samples) // channels
    return Pcm(rate_hz, samples[: count * channels].reshape(count, channels))


def waveform(pcm: Pcm, columns: int) -> Waveform:
    count = len(pcm.frames)
    if not count:
        return Waveform(np.zeros(0, np.float32), np.zeros(0, np.float32))
    starts = np.unique(np.linspace(0, count, columns, endpoint=False).astype(np.int64))
    low = np.minimum.reduceat(pcm.frames.min(axis=1), starts)
    high = np.maximum.reduceat(pcm.frames.max(axis=1), starts)
    return Waveform(low.astype(np.float32), high.astype(np.float32))


def _chunks(data: bytes) -> tuple[int, int, int, int, memoryview]:
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise DecodeError("Only WAV clips have a waveform. This clip can still be played or downloaded.")
    view, at, layout = memoryview(data), 12, None
    while at + 8 <= len(data):
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = view[at + 8 : at + 8 + size]
        if name == b"fmt ":
            layout = _format(body)
        elif name == b"data" and layout is not None:
            return *layout, body
        at += 8 + size + size % 2
    raise DecodeError("The WAV clip has no format or no data.")


def _format(body: memoryview) -> tuple[int, int, int, int]:
    if len(body) < 16:
        raise DecodeError("The format of the WAV clip is truncated.")
    form, channels, rate_hz, _, _, bits = struct.unpack_from("<HHIIHH", body)
    if form == _EXTENSIBLE and len(body) >= 26:
        form = int.from_bytes(body[24:26], "little")
    if not 0 < channels <= _MAX_CHANNELS or not rate_hz:
        raise DecodeError(f"The WAV clip has {channels} channels at {rate_hz} Hz, which is not valid.")
    return form, channels, rate_hz, bits


def _samples(form: int, bits: int, frames: memoryview) -> npt.NDArray[np.float64]:
    width = bits // 8
    if width and len(frames) // width > _MAX_SAMPLES:
        raise DecodeError("This clip is too long for a waveform. It can still be played.")
    whole = frames[: len(frames) // width * width] if width else frames[:0]
    match form, bits:
        case 1, 8:
            return np.frombuffer(whole, np.uint8) / 128.0 - 1.0
        case (1, 16) | (1, 32):
            return np.frombuffer(whole, f"<i{width}") / float(1 << (bits - 1))
        case 1, 24:
            raw = np.frombuffer(whole, np.uint8).reshape(-1, 3).astype(np.int32)
            return ((raw[:, 0] << 8 | raw[:, 1] << 16 | raw[:, 2] << 24) >> 8) / float(1 << 23)
        case (3, 32) | (3, 64):
            return np.nan_to_num(np.frombuffer(whole, f"<f{width}").astype(np.float64))
    raise DecodeError(
        f"A WAV clip of format {form} with {bits} bits, which has no waveform here; it can still be played."
    )
