"""Statistics of each histogram tag of a run: change, norm, share of zeros, spread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lossboard.kinds.histograms.decode import HistogramStep, distribution, histograms

if TYPE_CHECKING:
    from lossboard.store.run import Run

Floats = npt.NDArray[np.float64]

# A bucket around zero that is this much narrower than the spread is taken to hold only zeros.
_ZERO_WIDTH = 1e-3


@dataclass(frozen=True)
class Layer:
    tag: str
    steps: int
    last_step: int
    change: float
    """Mean shift of the nine percentiles from first to last step, in spreads of the first."""
    norm: float
    """L2 norm at the last step, computed from the centers of the buckets."""
    zeros: float | None
    """Fraction of zeros at the last step. None if the buckets are too wide to tell."""
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


def _centers(buckets: Floats) -> Floats:
    centers: Floats = (buckets[:, 0] + buckets[:, 1]) / 2
    return centers


def _spread(buckets: Floats) -> float:
    counts, centers = buckets[:, 2], _centers(buckets)
    total = counts.sum()
    if not total:
        return 0.0
    mean = (counts * centers).sum() / total
    return float(np.sqrt(max((counts * (centers - mean) ** 2).sum() / total, 0.0)))


def _norm(point: HistogramStep) -> float:
    return float(np.sqrt((point.buckets[:, 2] * _centers(point.buckets) ** 2).sum()))


def _zeros(buckets: Floats, spread: float) -> float | None:
    total = buckets[:, 2].sum()
    around = (buckets[:, 0] <= 0) & (buckets[:, 1] >= 0)
    if not total or not around.any():
        return 0.0
    narrow = around & (buckets[:, 1] - buckets[:, 0] <= _ZERO_WIDTH * spread)
    return float(buckets[narrow, 2].sum() / total) if narrow.any() else None
