"""Histograms, and their distributions.

    old  HistogramProto {min 1, max 2, num 3, sum 4, sum_squares 5, bucket_limit 6, bucket 7}; a limit is a right edge
    new  tensor [k, 3] of rows (left, right, count)

In the old form, empty buckets at both ends are dropped, and the outer edges are min and max (writers pad with ±1e308).
The new form is kept as stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.events.summary import HISTO, Value
from lossboard.events.tensors import Tensor
from lossboard.events.wire import Message
from lossboard.kinds.series import Point, Series, series_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import Run

Floats: TypeAlias = npt.NDArray[np.float64]

BASIS_POINTS = np.array([0, 668, 1587, 3085, 5000, 6915, 8413, 9332, 10000], np.float64)
"""Percentiles of a distribution, in hundredths of a percent: the ends, the median and ±½, 1, 1½ σ of a normal one."""


@dataclass(frozen=True, slots=True)
class HistogramStep(Point):
    """One histogram: `buckets` [k, 3], rows of left edge, right edge, count.

    `min`, `max`, `num` and `sum` describe the values. The new form does not store them, so they follow from the
    buckets, and `sum` is None.
    """

    buckets: Floats
    stored: Message | None
    """The message of the old form."""

    @property
    def min(self) -> float:
        return self.stored.float64(1) if self.stored else _first(self._filled[:, 0])

    @property
    def max(self) -> float:
        return self.stored.float64(2) if self.stored else _first(self._filled[::-1, 1])

    @property
    def num(self) -> float:
        return self.stored.float64(3) if self.stored else float(self.buckets[:, 2].sum())

    @property
    def sum(self) -> float | None:
        return self.stored.float64(4) if self.stored else None

    @property
    def _filled(self) -> Floats:
        filled: Floats = self.buckets[self.buckets[:, 2] > 0]
        return filled

    @property
    def distribution(self) -> Floats:
        return distribution(self.buckets)

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> HistogramStep:
        return cls(step, wall_time, hidden, *_decode(Value.parse(data)))


def buckets(data: bytes) -> Floats:
    """Returns the buckets in a Summary.Value."""
    return _decode(Value.parse(data))[0]


def _first(edges: Floats) -> float:
    return float(edges[0]) if len(edges) else 0.0


def _decode(value: Value) -> tuple[Floats, Message | None]:
    """Returns the buckets, and the message of the old form."""
    if value.data_field == HISTO:
        message = Message(value.body)
        return _old_buckets(message), message
    rows = Tensor.of(value).cast(np.float64)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise DecodeError(f"Expected a histogram of shape [k, 3], got {list(rows.shape)}")
    return rows, None


def _old_buckets(message: Message) -> Floats:
    limits, counts = message.float64s(6), message.float64s(7)
    if len(limits) != len(counts):
        raise DecodeError(f"The histogram has {len(limits)} edges and {len(counts)} counts")
    filled = np.flatnonzero(counts)
    if not len(filled):
        return np.empty((0, 3))
    first, last = filled[0], filled[-1]
    rows = np.empty((last - first + 1, 3))
    rows[0, 0], rows[1:, 0] = message.float64(1), limits[first:last]
    rows[:-1, 1], rows[-1, 1] = limits[first:last], message.float64(2)
    rows[:, 2] = counts[first : last + 1]
    return rows


def distribution(rows: Floats) -> Floats:
    """Returns TensorBoard's nine percentiles, interpolated linearly within a bucket."""
    if not len(rows):
        return np.zeros(len(BASIS_POINTS))
    minimum, maximum = rows[0, 0], rows[-1, 1]
    with np.errstate(all="ignore"):  # edges and counts may be infinite or NaN, and then so may the result
        total = rows[:, 2].sum()
        if not total:
            return np.full(len(BASIS_POINTS), maximum)
        weights = np.zeros(len(rows) + 1)
        np.cumsum(
            rows[:, 2] * BASIS_POINTS[-1] / total, out=weights[1:]
        )  # same rounding as TensorBoard, for percentiles on an edge
        limits = np.empty(len(rows) + 1)
        limits[0] = minimum
        np.clip(rows[:, 1], minimum, maximum, out=limits[1:])
        limits[weights == 0] = minimum  # empty buckets at the start do not count
        values: Floats = np.interp(BASIS_POINTS, weights, limits)
    return values


def histograms(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[HistogramStep]:
    return series_of(run, "histograms", tag, HistogramStep.parse, attempts=attempts, max_bytes=max_bytes)
