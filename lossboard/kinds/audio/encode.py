"""Audio as a 16-bit WAV in Summary.Audio {sample_rate 1, num_channels 2, length_frames 3, encoded 4, type 5}."""

from __future__ import annotations

import io
import wave

import numpy as np

from lossboard.events.conversions import as_real, as_scalar
from lossboard.events.summary import AUDIO, encode_value
from lossboard.events.warn_once import warn_once
from lossboard.events.wire import bytes_field, float_field, text_field, uint_field

_FULL_SCALE = np.iinfo(np.int16).max


def encode(tag: str, sound: object, *, sample_rate: int) -> bytes:
    """Encodes one channel, or two as [frames, 2]. Samples are between −1 and 1; others are clipped."""
    samples = np.atleast_1d(np.squeeze(as_real(sound, "A sound")))
    is_stereo = samples.ndim == 2 and samples.shape[1] == 2
    if samples.size == 0 or samples.ndim != (2 if is_stereo else 1):
        raise ValueError(f"A sound must have the shape [frames] or [frames, 2], got {list(samples.shape)}")
    if samples.dtype.kind in "biu":
        samples = samples.astype(np.float64)
    if as_scalar(sample_rate, "sample_rate") < 1:
        raise ValueError(f"sample_rate must be positive, in Hz, got {sample_rate}")
    if np.abs(samples).max() > 1:
        warn_once("Audio samples beyond −1 and 1 are clipped, as in torch. Divide 16-bit samples by 32768")
    with np.errstate(invalid="ignore"):  # NaN has no sound
        frames = (samples.clip(-1, 1) * _FULL_SCALE).astype("<i2")
    channels = 2 if is_stereo else 1
    numbers = float_field(1, as_scalar(sample_rate)) + uint_field(2, channels) + uint_field(3, len(frames))
    sound_file = _wav(frames.tobytes(), channels, round(as_scalar(sample_rate)))
    return encode_value(tag, AUDIO, numbers + bytes_field(4, sound_file) + text_field(5, "audio/wav"))


def _wav(frames: bytes, channels: int, sample_rate: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(frames)
    return out.getvalue()
