"""Many runs as one line with a band: mean, median or interquartile mean at every step that any of them logged.

Between two of its own points a run counts with the value on the straight line between them. Before its first and after
its last point it does not count, so nothing is extrapolated. A value that is not finite does not count either, but is
reported: a mean without the diverged runs would look better than it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from lossboard import _core
from lossboard.errors import UsageError
from lossboard.series_math.points import Points
from lossboard.series_math.student_t import t_quantile_95

Center: TypeAlias = Literal["mean", "median", "iqm"]
Band: TypeAlias = Literal["t", "sd", "se", "bootstrap", "minmax", "quartiles", "none"]
Floats: TypeAlias = NDArray[np.float64]

_MEAN_ONLY = ("t", "sd", "se")
"""Bands around the mean. The core computes them, because they are the default."""
_MAX_MARKS_PER_STEP = 16
_RESAMPLES = 1000
_CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True)
class GroupCurve:
    """A group's line and band. Where fewer than two runs count, `t`, `sd`, `se` and `bootstrap` have no band (NaN)."""

    steps: NDArray[np.int64]
    center: Floats
    low: Floats
    high: Floats
    n: NDArray[np.int64]
    """Number of runs behind each step."""
    non_finite: NDArray[np.int64]
    """Number of runs left out at each step, because their value there is not finite."""


def default_band(center: Center) -> Band:
    return {"mean": "t", "median": "quartiles", "iqm": "bootstrap"}[center]  # type: ignore[return-value]


def group_curve(
    runs: Sequence[Points], *, center: Center = "mean", band: Band | None = None, max_steps: int | None = None
) -> GroupCurve:
    """Returns the line and band of a group of runs. With `max_steps`, at evenly chosen steps, each computed exactly."""
    band = check_band(center, band)
    steps = _union([run.steps for run in runs], max_steps)
    if center == "mean" and band in _MEAN_ONLY:
        return _mean_curve(runs, steps, band)
    width = max(1, _CELLS_AT_ONCE // max(1, len(runs)))
    parts = [_statistics(runs, steps[at : at + width], center, band) for at in range(0, len(steps), width)]
    if not parts:
        empty, none = np.empty(0), np.empty(0, np.int64)
        return GroupCurve(none, empty, empty, empty, none, none)
    middle, low, high, n, non_finite = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return GroupCurve(steps, middle, low, high, n, non_finite)


def check_band(center: str, band: str | None) -> Band:
    """Returns the band, or the default for a center. Raises UsageError if there is no such center or band."""
    if center not in get_args(Center):
        raise UsageError(f"Expected the center to be one of {', '.join(get_args(Center))}, got {center!r}.")
    if band is None:
        return default_band(center)  # type: ignore[arg-type]
    if band not in get_args(Band):
        raise UsageError(f"Expected the band to be one of {', '.join(get_args(Band))}, got {band!r}.")
    if center != "mean" and band in _MEAN_ONLY:
        raise UsageError(f"The band {band!r} belongs to the mean. With the {center}, use bootstrap or quartiles.")
    return band  # type: ignore[return-value]


def _union(grids: Sequence[NDArray[np.int64]], max_steps: int | None) -> NDArray[np.int64]:
    different = {grid.tobytes(): grid for grid in grids if len(grid)}  # seeds usually log at the same steps
    if not different:
        return np.empty(0, np.int64)
    steps = _distinct(list(different.values()))
    if max_steps is not None and len(steps) > max_steps:
        steps = steps[np.unique(np.linspace(0, len(steps) - 1, max_steps).round().astype(np.int64))]
    return steps


def _distinct(grids: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Returns the steps of all grids in order, each once. Marking steps is several times faster than sorting them."""
    first, last = min(int(grid[0]) for grid in grids), max(int(grid[-1]) for grid in grids)
    if last - first >= _MAX_MARKS_PER_STEP * sum(map(len, grids)):
        return np.unique(np.concatenate(grids))
    marks = np.zeros(last - first + 1, bool)
    for grid in grids:
        marks[grid - first] = True
    return np.flatnonzero(marks) + first


def _mean_curve(runs: Sequence[Points], steps: NDArray[np.int64], band: Band) -> GroupCurve:
    mean, std, n, non_finite = _core.group_mean(steps, [(run.steps, run.values) for run in runs])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        half = std * _half_widths(n, band)
        return GroupCurve(steps, mean, mean - half, mean + half, n, non_finite)


def _statistics(runs: Sequence[Points], steps: NDArray[np.int64], center: Center, band: Band) -> tuple[Floats, ...]:
    values = np.empty((len(steps), len(runs)))  # a row for each step, so that sorting the runs of a step is local
    reached = np.empty(values.shape, bool)
    for column, run in enumerate(runs):
        values[:, column], reached[:, column] = _interpolate(run, steps)
    finite = np.isfinite(values)
    values[~finite] = np.nan
    n = finite.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        middle = _CENTERS[center](values, n)
        low, high = _band(values, finite, n, center, band)
    return middle, low, high, n, (reached & ~finite).sum(axis=1)


def _interpolate(run: Points, steps: NDArray[np.int64]) -> tuple[Floats, NDArray[np.bool_]]:
    """Returns a run's values at these steps, and which steps lie between its first and last point."""
    values, reached = np.full(len(steps), np.nan), np.zeros(len(steps), bool)
    if not len(run):
        return values, reached
    first, last = np.searchsorted(steps, run.steps[0]), np.searchsorted(steps, run.steps[-1], side="right")
    inside = steps[first:last]
    reached[first:last] = True
    if len(inside) == len(run) and np.array_equal(inside, run.steps):
        values[first:last] = run.values
        return values, reached
    before = np.searchsorted(run.steps, inside, side="right") - 1
    after = np.minimum(before + 1, len(run) - 1)
    left, right = run.values[before], run.values[after]
    gap = (run.steps[after] - run.steps[before]).astype(np.float64)
    passed = (inside - run.steps[before]).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        between = left + (right - left) * (passed / gap)
    values[first:last] = np.where(passed == 0, left, between)
    return values, reached


def _mean(values: Floats, n: NDArray[np.int64]) -> Floats:
    base, offsets = _offsets(values)
    result: Floats = base + offsets.sum(axis=1) / n
    return result


def _offsets(values: Floats) -> tuple[Floats, Floats]:
    """Returns each step's first finite value, and the distance of all values from it, 0 where there is no value.

    Adding up distances instead of values makes the mean of equal values exactly that value, and their spread exactly 0.
    """
    missing = np.isnan(values)
    base = values[np.arange(len(values)), missing.argmin(axis=1)]
    offsets = values - base[:, None]
    offsets[missing] = 0.0
    return base, offsets


def _median(values: Floats, n: NDArray[np.int64]) -> Floats:
    return _quantile(np.sort(values, axis=1), n, 0.5)


def _quantile(ordered: Floats, n: NDArray[np.int64], q: float) -> Floats:
    """NumPy's default method on the first n values of each row; NaN sorts behind them."""
    rows = np.arange(len(ordered))
    at = q * np.maximum(n - 1, 0)
    below = np.floor(at).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(n - 1, 0))
    low, high = ordered[rows, below], ordered[rows, above]
    result: Floats = low + (high - low) * (at - below)
    return result


def _iqm(values: Floats, n: NDArray[np.int64]) -> Floats:
    """The mean of the middle half: a quarter of the values, rounded down, is left out at each end."""
    ordered = np.sort(values, axis=1)
    cut = n // 4
    place = np.arange(ordered.shape[1])
    kept = (place >= cut[:, None]) & (place < (n - cut)[:, None])
    return _mean(np.where(kept, ordered, np.nan), n - 2 * cut)


_CENTERS: dict[Center, Callable[[Floats, NDArray[np.int64]], Floats]] = {"mean": _mean, "median": _median, "iqm": _iqm}


def _band(
    values: Floats, finite: NDArray[np.bool_], n: NDArray[np.int64], center: Center, band: Band
) -> tuple[Floats, Floats]:
    match band:
        case "minmax":
            return np.fmin.reduce(values, axis=1), np.fmax.reduce(values, axis=1)
        case "quartiles":
            ordered = np.sort(values, axis=1)
            return _quantile(ordered, n, 0.25), _quantile(ordered, n, 0.75)
        case "bootstrap":
            return _bootstrap(values, finite, n, center)
    return np.full(len(n), np.nan), np.full(len(n), np.nan)


def _half_widths(n: NDArray[np.int64], band: Band) -> Floats:
    """Returns half the width of the band in standard deviations."""
    if band == "sd":
        return np.ones(len(n))
    quantiles = [t_quantile_95(k) if band == "t" else 1.0 for k in range(1, int(n.max(initial=1)))]
    return np.array([np.nan, np.nan, *quantiles])[n] / np.sqrt(n)


def _bootstrap(
    values: Floats, finite: NDArray[np.bool_], n: NDArray[np.int64], center: Center
) -> tuple[Floats, Floats]:
    """The 95 % percentile interval over resampled runs. A run is resampled as a whole, and the same every time."""
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    patterns, which = np.unique(finite, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        if (size := int(pattern.sum())) < 2:
            continue
        picks = np.random.default_rng(0).integers(size, size=(_RESAMPLES, size))
        counts = np.stack([np.bincount(pick, minlength=size) for pick in picks], axis=1)
        rows = np.flatnonzero(which.reshape(-1) == number)
        at_once = max(1, _CELLS_AT_ONCE // (_RESAMPLES * (1 if center == "mean" else size)))
        for at in range(0, len(rows), at_once):
            some = rows[at : at + at_once]
            own = values[np.ix_(some, np.flatnonzero(pattern))]
            estimates = _resampled_means(own, counts) if center == "mean" else _resample(own, picks, center)
            low[some], high[some] = np.quantile(estimates, (0.025, 0.975), axis=1)
    return low, high


def _resampled_means(values: Floats, counts: NDArray[np.int64]) -> Floats:
    base, offsets = _offsets(values)
    means: Floats = base[:, None] + offsets @ counts.astype(np.float64) / values.shape[1]
    return means


def _resample(values: Floats, picks: NDArray[np.int64], center: Center) -> Floats:
    """Returns the center of every resample, a row for each step."""
    resampled = values[:, picks].reshape(-1, picks.shape[1])
    return _CENTERS[center](resampled, np.full(len(resampled), picks.shape[1])).reshape(len(values), -1)
