"""Merging of many histograms of one tag: a limited number of columns, all with the same rows.

Writers choose new buckets at each step, so each histogram is rebinned to common rows. The cumulative count is
interpolated at the edges of the rows, linearly within a bucket, which keeps every total exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.histograms.decode import BASIS_POINTS, HistogramStep

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Merged:
    """`counts` is [columns, rows], from the lowest value up. The other arrays have one element or row per column."""

    edges: Floats
    counts: npt.NDArray[np.float32]
    first_step: Floats
    last_step: Floats
    wall_time: Floats
    merged: Floats
    """Number of logged histograms in the column."""
    bands: Floats | None
    """[columns, 9]: the distribution. Merged histograms have the outermost ends and means of the rest."""


def merge(points: Sequence[HistogramStep], *, columns: int, rows: int, with_bands: bool = True) -> Merged:
    steps = np.array([p.step for p in points], np.float64)
    cells = _cells(steps, columns)
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    merged = np.diff(starts, append=len(points)).astype(np.float64)
    edges = np.linspace(*value_range(points), rows + 1)
    counts = np.zeros((len(starts), rows))
    for point, column in zip(points, np.repeat(np.arange(len(starts)), merged.astype(np.int64)), strict=True):
        check_cancelled()
        counts[column] += rebin(edges, point.buckets)
    ends = np.append(starts[1:], len(points)) - 1 if len(points) else starts
    return Merged(
        edges=edges,
        counts=(counts / merged[:, None]).astype(np.float32),
        first_step=steps[starts],
        last_step=steps[ends],
        wall_time=np.array([p.wall_time for p in points], np.float64)[ends],
        merged=merged,
        bands=_merged_bands(points, starts, merged) if with_bands else None,
    )


def _cells(steps: Floats, columns: int) -> npt.NDArray[np.int64]:
    """Returns the column of each step: its own if there are enough, otherwise by its position."""
    if len(steps) <= columns:
        return np.arange(len(steps))
    position = (steps - steps[0]) / (steps[-1] - steps[0])
    cells: npt.NDArray[np.int64] = np.minimum((position * columns).astype(np.int64), columns - 1)
    return cells


def value_range(points: Sequence[HistogramStep]) -> tuple[float, float]:
    """Returns the minimum and the maximum finite edge. They always differ."""
    edges = np.concatenate([p.buckets[[0, -1], :2].ravel() for p in points if len(p.buckets)] or [np.zeros(1)])
    edges = edges[np.isfinite(edges)]
    lo, hi = (float(edges.min()), float(edges.max())) if len(edges) else (0.0, 0.0)
    if lo < hi:
        return lo, hi
    margin = abs(lo) * 0.5 or 0.5
    return lo - margin, hi + margin


def rebin(edges: Floats, buckets: Floats) -> Floats:
    """Returns the counts of a histogram between `edges`. Counts beyond them are added to the outer rows."""
    rows = buckets if np.isfinite(buckets).all() else np.nan_to_num(buckets)
    below = np.zeros(len(rows) + 1)
    np.cumsum(rows[:, 2], out=below[1:])
    if not below[-1]:
        return np.zeros(len(edges) - 1)
    limits = np.empty(len(rows) + 1)
    limits[0], limits[1:] = rows[0, 0], rows[:, 1]
    at_edges = np.interp(edges, np.maximum.accumulate(limits), below)
    at_edges[0], at_edges[-1] = 0.0, below[-1]
    counts: Floats = np.diff(at_edges)
    return counts


def _sums(values: Floats, starts: npt.NDArray[np.int64]) -> Floats:
    return np.add.reduceat(values, starts, axis=0) if len(starts) else values


def _merged_bands(points: Sequence[HistogramStep], starts: npt.NDArray[np.int64], merged: Floats) -> Floats:
    bands = np.empty((len(points), len(BASIS_POINTS)))
    for band, point in zip(bands, points, strict=True):
        check_cancelled()
        band[:] = point.distribution
    if not len(starts):
        return bands
    means = _sums(bands, starts) / merged[:, None]
    means[:, 0] = np.minimum.reduceat(bands[:, 0], starts)
    means[:, -1] = np.maximum.reduceat(bands[:, -1], starts)
    return means
