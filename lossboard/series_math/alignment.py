"""Alignment of many series: the x axis of a chart, and one grid for all of its lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from lossboard import _core
from lossboard.errors import UsageError
from lossboard.series_math.points import Points

if TYPE_CHECKING:
    from lossboard.store.run import Run

# A chart of one line has two cells per CSS pixel, enough for a high-density screen. With many lines, that detail would
# not be visible and would only make responses larger.
_CELLS_PER_CHART = 8192
_MAX_STEP = 2.0**62
# In 1973. Some programs log 0 or a counter as wall time.
_EARLIEST_WALL_TIME = 1e8


@dataclass(frozen=True)
class XAxis:
    """Quantity on the x axis of a chart."""

    quantity: Literal["step", "relative", "wall", "tag"] = "step"
    tag: str = ""

    @classmethod
    def parse(cls, param: object) -> XAxis:
        """Reads the `x` parameter of a request."""
        match param:
            case None | "step":
                return cls("step")
            case "relative":
                return cls("relative")
            case "wall":
                return cls("wall")
            case {"tag": str(tag)}:
                return cls("tag", tag)
        raise UsageError('Expected "x" to be "step", "relative", "wall" or {"tag": name}.')

    def of(self, run: Run, points: Points) -> tuple[NDArray[np.int64] | NDArray[np.float64], float]:
        """Returns the x of every point, and an offset to subtract from it."""
        match self.quantity:
            case "step":
                return points.steps, 0.0
            case "wall":
                return points.wall_times, 0.0
            case "relative":
                return points.wall_times, relative_time_origin(run, points)
        return _by_step(points.steps, Points.of(run, self.tag)), 0.0

    def values(self, run: Run, points: Points) -> NDArray[np.float64]:
        """Returns the x of every point, as shown."""
        x, offset = self.of(run, points)
        return x.astype(np.float64) - offset

    def shortened_range(self, lines: Sequence[_core.Line]) -> tuple[float, float] | None:
        """Returns the range without wall times that are not times. Because of them, the axis would start in 1970.

        Returns None if all lines have times, or none has.
        """
        if self.quantity != "wall":
            return None
        timed = [line for line in lines if len(line[0]) and line[0][-1] >= _EARLIEST_WALL_TIME]
        return _core.x_extent(timed) if 0 < len(timed) < len(lines) else None


def relative_time_origin(run: Run, points: Points) -> float:
    """Returns where relative time starts: the first event, or an earlier wall time that the program logged."""
    first = float(points.wall_times[0]) if len(points) else 0.0
    return first if run.start is None else min(first, run.start)


def _by_step(steps: NDArray[np.int64], other: Points) -> NDArray[np.float64]:
    """Returns the value of another series at these steps, interpolated. It is NaN before the first point."""
    finite = np.isfinite(other.values)
    if not finite.any():
        return np.full(len(steps), np.nan)
    known = other.steps[finite]
    x: NDArray[np.float64] = np.interp(steps, known, other.values[finite])
    x[steps < known[0]] = np.nan
    return x


def nearest(x: NDArray[np.int64] | NDArray[np.float64], at: float) -> int | None:
    """Returns the index of the point nearest to an x, or None if no point has a finite x."""
    if x.dtype == np.int64:  # steps, which increase
        right = int(np.searchsorted(x, math.ceil(min(max(at, -_MAX_STEP), _MAX_STEP))))
        candidates = range(max(right - 1, 0), min(right + 1, len(x)))
        return min(candidates, key=lambda i: abs(float(x[i]) - at), default=None)
    if len(x) and np.isfinite(x).any():
        return int(np.nanargmin(np.abs(x - at)))
    return None


def cells_for(lines: int, width: int) -> int:
    return min(max(_CELLS_PER_CHART // max(lines, 1), width // 2), 2 * width)


@dataclass(frozen=True)
class Grid:
    """All lines of a chart on one grid. Each column holds one line after the other, and NaN is a gap."""

    exact: bool
    x_range: tuple[float, float]
    x: NDArray[np.float64]
    value: NDArray[np.float32]
    smoothed: NDArray[np.float32]
    minimum: NDArray[np.float32]
    maximum: NDArray[np.float32]
    points: NDArray[np.int64]
    drawn: NDArray[np.int64]
    marks: list[list[_core.Mark]]


def sample_to_grid(lines: Sequence[_core.Line], *, x_range: tuple[float, float] | None, cells: int) -> Grid:
    """Samples the lines within a range of x, by default the full range."""
    sampled = _core.sample_lines(list(lines), *(x_range or (-math.inf, math.inf)), cells)
    found = (sampled.x_min, sampled.x_max) if sampled.x_min <= sampled.x_max else (0.0, 1.0)
    return Grid(
        sampled.exact,
        x_range or found,
        sampled.x,
        sampled.value,
        sampled.smoothed,
        sampled.minimum,
        sampled.maximum,
        sampled.points,
        sampled.drawn,
        sampled.marks,
    )
