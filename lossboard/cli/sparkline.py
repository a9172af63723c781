"""Sparklines: a series as one line of text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII = "_.-=+*#@"
_MISSING = "×"


def sparkline(values: NDArray[np.float64], width: int, *, ascii_only: bool = False) -> str:
    """Returns a character for each point, or for each of `width` equal parts of a longer series, by its mean.

    A part without a finite value is a cross.
    """
    if not len(values):
        return ""
    levels, missing = (_ASCII, "x") if ascii_only else (_BLOCKS, _MISSING)
    means = _means(values, min(width, len(values)))
    finite = means[np.isfinite(means)]
    if not len(finite):
        return missing * len(means)
    largest = float(np.abs(finite).max())
    if largest > 0:
        means, finite = means / largest, finite / largest  # the difference of two huge numbers is not finite
    low, high = float(finite.min()), float(finite.max())
    span = (high - low) or 1.0
    last = len(levels) - 1
    return "".join(
        levels[round((mean - low) / span * last)] if np.isfinite(mean) else missing for mean in means.tolist()
    )


def _means(values: NDArray[np.float64], parts: int) -> NDArray[np.float64]:
    starts = np.arange(parts) * len(values) // parts
    finite = np.isfinite(values)
    counts = np.add.reduceat(finite.astype(np.int64), starts)
    with np.errstate(invalid="ignore", over="ignore"):
        means: NDArray[np.float64] = np.add.reduceat(np.where(finite, values, 0.0), starts) / counts
    return means
