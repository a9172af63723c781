"""Curve: the judged points of one scalar series, with the robust statistics that several rules use."""

from __future__ import annotations

import math
import zlib
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lossboard.store.column import Column

Values = NDArray[np.float64]

BLOCKS = 40
"""Parts into which a curve is divided to see its course. Each is 2.5 % of the run."""
_EVERY_POINT = 128
_LARGEST = 1e70
_MAD_TO_SIGMA = 1.4826


def judged_length(points: int, run: str) -> int:
    """Returns how many of the points are judged: all of a short series, and all but the last percent of a longer one.

    Runs that log in lockstep get their turns at different points.

    A series that grows is then judged again only after each percent, so following it costs the same for each new
    point, however long it is. The result depends on the points alone, not on when they were read.
    """
    if points < _EVERY_POINT:
        return points
    unit = 1 << (points.bit_length() - 7)
    turn = zlib.crc32(run.encode("utf-8", "surrogateescape")) % unit
    return (points - turn) // unit * unit + turn


class Curve:
    """The finite points of a series. Statistics are computed when they are first used.

    With `whole`, it has all points, also those that are not judged yet.
    """

    def __init__(self, run: str, tag: str, column: Column, *, whole: bool = False) -> None:
        count = len(column) if whole else judged_length(len(column), run)
        steps, values, times = column.steps[:count], column.values[:count], column.wall_times[:count]
        finite = np.isfinite(values)
        if not finite.all():
            steps, values, times = steps[finite], values[finite], times[finite]
        self.run = run
        self.tag = tag
        self.steps = steps
        self.values = bounded(values)
        self.wall_times = times

    def __len__(self) -> int:
        return len(self.values)

    def step(self, index: int) -> int:
        return int(self.steps[index])

    @property
    def last_step(self) -> int:
        return int(self.steps[-1])

    def index_at(self, step: float) -> int:
        """Returns the index of the first point at or after a step."""
        return int(np.searchsorted(self.steps, step))

    @cached_property
    def noise(self) -> float:
        """Standard deviation of the noise from point to point. Outliers and the course of the curve hardly matter."""
        if len(self) < 3:
            return 0.0
        return _MAD_TO_SIGMA / math.sqrt(2) * median(np.abs(np.diff(self.values)))

    @cached_property
    def block_size(self) -> int:
        return max(1, round(len(self) / BLOCKS))

    @cached_property
    def blocks(self) -> Values:
        """Medians of up to 40 equal parts."""
        size = self.block_size
        count = len(self) // size
        parts = self.values[: count * size].reshape(count, size)
        if size == 1:
            return self.values
        middle = size // 2
        if size % 2:
            return np.partition(parts, middle, axis=1)[:, middle]
        sorted_parts = np.partition(parts, (middle - 1, middle), axis=1)
        return (sorted_parts[:, middle - 1] + sorted_parts[:, middle]) / 2

    @cached_property
    def block_noise(self) -> float:
        """Standard deviation of a block's median because of the noise from point to point."""
        return 1.25 * self.noise / math.sqrt(self.block_size)

    @cached_property
    def start(self) -> float:
        """Level of the first points."""
        return median(self.values[:3])

    @cached_property
    def end(self) -> float:
        """Level of the last tenth."""
        return median(self.values[-max(3, len(self) // 10) :])

    @cached_property
    def best(self) -> float:
        """The lowest level that a block reached."""
        return float(self.blocks.min())

    @property
    def best_index(self) -> int:
        """Index of the middle point of the lowest block."""
        return int(self.blocks.argmin()) * self.block_size + self.block_size // 2

    @cached_property
    def median(self) -> float:
        return median(self.values)


def bounded(values: Values) -> Values:
    """Returns the finite values, such that squares and ratios can be computed. What is smaller is 0."""
    values = values[np.isfinite(values)]
    sizes = np.abs(values)
    if len(values) and sizes.max() > _LARGEST:
        values = np.clip(values, -_LARGEST, _LARGEST)
    tiny = (sizes < 1 / _LARGEST) & (sizes > 0)
    return np.where(tiny, 0.0, values) if tiny.any() else values


def median(values: Values) -> float:
    """Returns the median. np.median takes three times as long for short arrays."""
    count = len(values)
    if not count:
        return math.nan
    middle = count // 2
    if count % 2:
        return float(np.partition(values, middle)[middle])
    pair = np.partition(values, (middle - 1, middle))
    return float(pair[middle - 1] + pair[middle]) / 2


def early_burst(curve: Curve, early: int) -> float:
    """Returns the highest of the first points in parts of the median of the later ones."""
    early = max(4, early)
    if len(curve) <= early:
        return 0.0
    usual = median(curve.values[early:])
    return float(curve.values[:early].max()) / usual if usual > 0 else 0.0
