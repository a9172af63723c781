"""Spectrogram of a clip: short-time Fourier transforms with a Hann window, in decibels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lossboard.kinds.audio.waveform import Pcm

_WINDOWS = (1024, 512, 256, 128, 64)
"""Sizes of a transform, in samples. The largest that fits four times is used, so that short clips have columns too."""
_RANGE_DB = 80.0
"""Levels this far below the maximum are silence."""


@dataclass(frozen=True)
class Spectrogram:
    max_hz: float
    levels: npt.NDArray[np.uint8]
    """[columns, rows], from the lowest frequency up: 0 is silence, 255 the maximum."""


def spectrogram(pcm: Pcm, columns: int, rows: int) -> Spectrogram:
    """Computes levels on a linear frequency axis up to half the sample rate. A cell has the maximum of its values."""
    mono = pcm.frames.mean(axis=1, dtype=np.float32) if len(pcm.frames) else np.zeros(1, np.float32)
    window = next((size for size in _WINDOWS if 4 * size <= len(mono)), _WINDOWS[-1])
    starts = np.linspace(0, max(len(mono) - window, 0), columns).astype(np.int64)
    windows = np.pad(mono, (0, window))[starts[:, None] + np.arange(window)] * np.hanning(window)
    power = np.abs(np.fft.rfft(windows, axis=1)[:, 1:])
    edges = np.linspace(0, power.shape[1], rows, endpoint=False).astype(np.int64)
    loudest = np.maximum.reduceat(power, edges, axis=1)  # equal edges select one frequency
    decibels = 20 * np.log10(np.maximum(loudest, 1e-12) / max(float(loudest.max()), 1e-12))
    levels = np.clip(1 + decibels / _RANGE_DB, 0, 1) * 255
    return Spectrogram(pcm.rate_hz / 2, levels.astype(np.uint8))
