"""One line for each histogram tag of a run: how far it has moved, how large it is, how much of it is zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lossboard.kinds.histograms.decode import HistogramStep, distribution, histograms

if TYPE_CHECKING:
    from lossboard.store.run import Run

Floats = npt.NDArray[np.float64]

# A bucket this much narrower than the spread, around zero, holds zeros and nothing else worth telling apart.
_ZERO_WIDTH = 1e-3


@dataclass(frozen=True)
class Layer:
    tag: str
    steps: int
    last_step: int
    change: float
    """Mean shift of the nine percentiles from first to last step, in spreads of the first."""
    norm: float
    """Root of the sum of squares at the last step, from the middles of the buckets."""
    zeros: float | None
    """Share of values at zero at the last step; None where the buckets are too wide to tell."""
    spread: float
    """Standard deviation at the last step."""


def describe(run: Run, tag: str) -> Layer:
    series = histograms(run, tag)
    first, last = series[0], series[-1]
    spread = _spread(last.buckets)
    shift = np.abs(distribution(last.buckets) - distribution(first.buckets)).mean()
    return Layer(
        tag=tag,
        steps=len(series),
        last_step=last.step,
        change=float(shift / (_spread(first.buckets) or 1.0)),
        norm=_norm(last),
        zeros=_zeros(last.buckets, spread),
        spread=spread,
    )


def _middles(buckets: Floats) -> Floats:
    middles: Floats = (buckets[:, 0] + buckets[:, 1]) / 2
    return middles


def _spread(buckets: Floats) -> float:
    counts, middles = buckets[:, 2], _middles(buckets)
    total = counts.sum()
    if not total:
        return 0.0
    mean = (counts * middles).sum() / total
    return float(np.sqrt(max((counts * (middles - mean) ** 2).sum() / total, 0.0)))


def _norm(point: HistogramStep) -> float:
    return float(np.sqrt((point.buckets[:, 2] * _middles(point.buckets) ** 2).sum()))


def _zeros(buckets: Floats, spread: float) -> float | None:
    total = buckets[:, 2].sum()
    around = (buckets[:, 0] <= 0) & (buckets[:, 1] >= 0)
    if not total or not around.any():
        return 0.0
    narrow = around & (buckets[:, 1] - buckets[:, 0] <= _ZERO_WIDTH * spread)
    return float(buckets[narrow, 2].sum() / total) if narrow.any() else None
