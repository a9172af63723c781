"""Smoothing as a question asks for it, computed on whole series and kept for the next question."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lossboard import _core
from lossboard.bounded_cache import BoundedCache
from lossboard.errors import UsageError
from lossboard.series_math.points import Points

METHODS = ("none", "ema", "gaussian", "mean")


@dataclass(frozen=True)
class Smoothing:
    """A method and a strength. The weight is TensorBoard's; the other methods are made equally wide."""

    method: str = "none"
    weight: float = 0.0

    @classmethod
    def parse(cls, question: object) -> Smoothing:
        match question:
            case None:
                return cls()
            case {"method": str(method), **rest} if method in METHODS:
                weight = rest.get("weight", 0.0)
                if isinstance(weight, int | float) and 0 <= weight < 1:
                    return cls(method, float(weight)) if weight and method != "none" else cls()
                raise UsageError(f"Expected a smoothing weight of at least 0 and below 1, got {weight!r}.")
        raise UsageError(f'Expected "smoothing" to be {{"method": one of {", ".join(METHODS)}, "weight": 0 … 0.999}}.')

    @property
    def window_points(self) -> float:
        """How many points the average spans: those of a running mean as steady as the exponential one."""
        return (1 + self.weight) / (1 - self.weight)

    def apply(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        match self.method:
            case "ema":
                return _core.ema(values, self.weight)
            case "mean":
                return _core.running_mean(values, round((self.window_points - 1) / 2))
            case "gaussian":
                return _core.gaussian(values, self.window_points / math.sqrt(12))
        return values


class SmoothingCache:
    """Smoothed series of recent requests. Zooming and live updates request the same ones again and again."""

    def __init__(self, cache: BoundedCache[NDArray[np.float64]]) -> None:
        self._cache = cache

    def get(self, run: str, tag: str, points: Points, smoothing: Smoothing) -> NDArray[np.float64]:
        if smoothing.method == "none" or not len(points):
            return points.values
        key = (run, tag, *_fingerprint(points), smoothing)
        if (smoothed := self._cache.get(key)) is None:
            smoothed = smoothing.apply(points.values)
            self._cache.put(key, smoothed, size=smoothed.nbytes)
        return smoothed


def _fingerprint(points: Points) -> tuple[object, ...]:
    """Returns values that change when a series grows or is replaced: its length, ends and middle."""
    places = [0, len(points) // 2, -1]
    return len(points), points.wall_times[places].tobytes(), points.values[places].tobytes()
