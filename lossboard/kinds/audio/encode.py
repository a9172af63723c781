"""Audio as 16-bit WAV in Summary.Audio {sample_rate 1, num_channels 2, length_frames 3, encoded 4, type 5}."""

from __future__ import annotations

import io
import wave

import numpy as np

from lossboard.events.conversions import as_real, as_scalar
from lossboard.events.summary import AUDIO, encode_value
from lossboard.events.wire import bytes_field, float_field, text_field, uint_field

_FULL_SCALE = np.iinfo(np.int16).max


def encode(tag: str, sound: object, *, sample_rate: int) -> bytes:
    """Encodes one channel of samples. Values outside of −1 to 1 are clipped."""
    samples = np.squeeze(as_real(sound, "A sound"))
    if samples.ndim != 1 or samples.size == 0:
        raise ValueError(f"A sound must have one axis longer than 1, got the shape {list(samples.shape)}")
    if samples.dtype.kind in "biu":
        samples = samples.astype(np.float64)
    if as_scalar(sample_rate, "sample_rate") < 1:
        raise ValueError(f"sample_rate must be positive, in Hz, got {sample_rate}")
    with np.errstate(invalid="ignore"):  # NaN becomes silence
        frames = (samples.clip(-1, 1) * _FULL_SCALE).astype("<i2")
    numbers = float_field(1, sample_rate) + uint_field(2, 1) + uint_field(3, len(frames))
    body = numbers + bytes_field(4, _wav(frames.tobytes(), int(sample_rate))) + text_field(5, "audio/wav")
    return encode_value(tag, AUDIO, body)


def _wav(frames: bytes, sample_rate: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes(frames)
    return out.getvalue()
