"""Smoothing of series, with a cache. To add a method, add a function and its name to `METHODS`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lossboard import _core
from lossboard.bounded_cache import BoundedCache
from lossboard.errors import UsageError
from lossboard.series_math.points import Points

Values: TypeAlias = NDArray[np.float64]

_MIN_CACHED_POINTS = 256
"""Smoothing a shorter series is faster than finding it in the cache, and ten thousand of them would fill it."""
_ENTRY_BYTES = 1000
"""Size of a cache entry apart from its values and names, roughly."""


def window_points(weight: float) -> float:
    """Returns the width of a running mean that reduces noise as much as an EMA with this weight."""
    return (1 + weight) / (1 - weight)


def _running_mean(values: Values, weight: float) -> Values:
    return _core.running_mean(values, round((window_points(weight) - 1) / 2))


def _gaussian(values: Values, weight: float) -> Values:
    return _core.gaussian(values, window_points(weight) / math.sqrt(12))


_SHORT = 50
_TURNING_POINTS = 0.1


def is_noisy(values: Values) -> bool:
    """Returns whether a series is worth smoothing: it is not short, and it turns up or down at many of its points.

    A learning rate turns at a few points. Noise turns at two of three.
    """
    return len(values) >= _SHORT and _core.is_noisy(values, _TURNING_POINTS)


NONE = "none"
METHODS: Mapping[str, Callable[[Values, float], Values]] = {
    NONE: lambda values, weight: values,
    "ema": _core.ema,  # TensorBoard's
    "gaussian": _gaussian,
    "mean": _running_mean,
}


@dataclass(frozen=True)
class Smoothing:
    """A method and a smoothing weight. The weight is TensorBoard's; the other methods are made equally wide."""

    method: str = NONE
    weight: float = 0.0
    only_noisy: bool = False
    """Leave series unchanged that are short or already smooth."""

    @classmethod
    def parse(cls, param: object) -> Smoothing:
        """Reads the `smoothing` parameter of a request."""
        match param:
            case None:
                return cls()
            case {"method": str(method), **rest} if method in METHODS:
                weight = rest.get("weight", 0.0)
                if isinstance(weight, int | float) and 0 <= weight < 1:
                    only_noisy = bool(rest.get("only_noisy", False))
                    return cls(method, float(weight), only_noisy) if weight and method != NONE else cls()
                raise UsageError(f"Expected a smoothing weight of at least 0 and below 1, got {weight!r}.")
        raise UsageError(f'Expected "smoothing" to be {{"method": one of {", ".join(METHODS)}, "weight": 0 … 0.999}}.')

    def for_part_of(self, values: Values) -> Smoothing:
        """Returns the smoothing of a part of a series, which is smoothed if the series is."""
        if not self.only_noisy:
            return self
        return replace(self, only_noisy=False) if is_noisy(values) else Smoothing()

    def apply(self, values: Values) -> Values:
        """Returns the smoothed values, or `values` itself if they are not to be smoothed."""
        if self.only_noisy and not is_noisy(values):
            return values
        return METHODS[self.method](values, self.weight)


_UNCHANGED: Values = np.empty(0)


class SmoothingCache:
    """Smoothed series of recent requests. Zooming and live updates request the same ones again and again.

    A series that has grown replaces its earlier version, so growing runs do not fill the cache.
    """

    def __init__(self, cache: BoundedCache[tuple[object, Values]]) -> None:
        self._cache = cache

    def get(self, run: str, tag: str, points: Points, smoothing: Smoothing) -> Values:
        if smoothing.method == NONE or not len(points):
            return points.values
        if len(points) < _MIN_CACHED_POINTS:
            return smoothing.apply(points.values)
        key, version = (run, tag, smoothing), _fingerprint(points)
        if (known := self._cache.get(key)) is None or known[0] != version:
            smoothed = smoothing.apply(points.values)
            # The cache must not keep a column of the store in memory.
            known = version, _UNCHANGED if smoothed is points.values else smoothed
            self._cache.put(key, known, size=known[1].nbytes + len(run) + len(tag) + _ENTRY_BYTES)
        return points.values if known[1] is _UNCHANGED else known[1]


def _fingerprint(points: Points) -> tuple[object, ...]:
    """Returns values that change when a series grows or is replaced: its length, ends and middle."""
    indexes = [0, len(points) // 2, -1]
    return len(points), points.wall_times[indexes].tobytes(), points.values[indexes].tobytes()
