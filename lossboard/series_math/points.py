"""Points of one scalar series as arrays, and its restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lossboard.store.run import Column, Run

PLUGIN = "scalars"


@dataclass(frozen=True, slots=True)
class Points:
    """A column of the store, or a part of one. Holds the arrays, because the store creates new views each time."""

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, run: Run, tag: str) -> Points:
        column = run.column(tag)
        return cls(column.steps, column.wall_times, column.values)

    def __len__(self) -> int:
        return len(self.steps)


def earlier_attempts(run: Run, tag: str) -> list[Points]:
    """Returns the superseded points, split into parts with increasing steps."""
    attempts = cast("Column", run.attempts(PLUGIN, tag))
    steps, wall_times, values = attempts.steps, attempts.wall_times, attempts.values
    hidden = np.flatnonzero(attempts.hidden)
    starts = np.flatnonzero((np.diff(steps[hidden]) <= 0) | (np.diff(hidden) > 1)) + 1
    return [Points(steps[part], wall_times[part], values[part]) for part in np.split(hidden, starts)]


def restarts(run: Run, tag: str, points: Points) -> tuple[int, ...]:
    """Returns the indexes of the visible points that start a new attempt."""
    steps = run.attempts(PLUGIN, tag).steps
    first_steps = steps[1:][np.diff(steps) <= 0]
    return tuple(int(i) for i in np.flatnonzero(np.isin(points.steps, first_steps)))
