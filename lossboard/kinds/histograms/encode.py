"""Histograms as HistogramProto {min 1, max 2, num 3, sum 4, sum_squares 5, bucket_limit 6, bucket 7}.

`bucket_limit[i]` is the right edge of bucket i. Empty buckets at both ends are left out, except one on the left that
holds the left edge. The result equals torch's exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lossboard import _core
from lossboard.events.conversions import Array, as_real
from lossboard.events.summary import HISTO, encode_value
from lossboard.events.wire import double_field, doubles_field

Bins = str | int | npt.ArrayLike


@dataclass(frozen=True)
class Histogram:
    """Counts between limits, and the moments of the values."""

    min: float
    max: float
    num: float
    sum: float
    sum_squares: float
    limits: npt.ArrayLike
    counts: npt.ArrayLike

    @classmethod
    def of(cls, values: object, *, bins: Bins = "tensorflow", max_bins: int | None = None) -> Histogram:
        array = _flat_floats(values)
        if array.size == 0:
            raise ValueError("A histogram needs at least one value, got an empty array")
        binned = _core.bin_counts(array)
        counts = binned.counts
        if isinstance(bins, str) and bins == "tensorflow":
            edges = _core.bin_edges()
        else:
            counts, edges = np.histogram(array[np.isfinite(array)].astype(np.float64), bins=bins)
        if max_bins is not None:
            counts, edges = _merged(counts, edges, max_bins)
        limits, counts = _trimmed(counts, edges)
        return cls(binned.minimum, binned.maximum, array.size, binned.sum, binned.sum_squares, limits, counts)

    def encode(self, tag: str) -> bytes:
        moments = (self.min, self.max, self.num, self.sum, self.sum_squares)
        numbers = b"".join(double_field(i, float(x)) for i, x in enumerate(moments, 1))
        return encode_value(tag, HISTO, numbers + doubles_field(6, self.limits) + doubles_field(7, self.counts))


def _flat_floats(values: object) -> Array:
    array = as_real(values, "A histogram's values").reshape(-1)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    elif array.dtype not in (np.float32, np.float64):
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def _merged(counts: Array, edges: Array, max_bins: int) -> tuple[Array, Array]:
    """Joins neighboring bins into groups of equal size, so that about `max_bins` remain."""
    if max_bins < 1:
        raise ValueError(f"max_bins must be at least 1, got {max_bins}")
    group = max(1, len(counts) // max_bins)
    return np.add.reduceat(counts, np.arange(0, len(counts), group)), np.append(edges[:-1:group], edges[-1])


def _trimmed(counts: Array, edges: Array) -> tuple[Array, Array]:
    (filled,) = np.nonzero(counts)
    if not len(filled):  # all values are NaN or outside of the bins
        return np.zeros(1), np.zeros(1)
    first, last = filled[0], filled[-1]
    return edges[first : last + 2], np.append(0, counts[first : last + 1])
