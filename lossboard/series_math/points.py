"""Points of one scalar series as arrays, and its restarts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lossboard.store.column import Column
    from lossboard.store.run import Run

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

    def part(self, chosen: slice) -> Points:
        return Points(self.steps[chosen], self.wall_times[chosen], self.values[chosen])


def earlier_attempts(run: Run, tag: str) -> list[Points]:
    """Returns the attempts that a restart superseded.

    A point that is followed by another one at its step is left out: the two were logged in the same attempt.
    """
    attempts = cast("Column", run.attempts(PLUGIN, tag))
    steps, wall_times, values = attempts.steps, attempts.wall_times, attempts.values
    is_repeated = np.append(np.diff(steps) == 0, False)
    superseded = np.flatnonzero(attempts.hidden & ~is_repeated)
    visible_before = np.cumsum(~attempts.hidden)[superseded]
    starts = np.flatnonzero((np.diff(steps[superseded]) < 0) | (np.diff(visible_before) > 0)) + 1
    return [Points(steps[part], wall_times[part], values[part]) for part in np.split(superseded, starts) if len(part)]


def restarts(run: Run, tag: str, points: Points) -> tuple[int, ...]:
    """Returns the indexes of the visible points that start a new attempt. Only a step that goes back starts one."""
    steps = run.attempts(PLUGIN, tag).steps
    first_steps = steps[1:][np.diff(steps) < 0]
    return tuple(int(i) for i in np.flatnonzero(np.isin(points.steps, first_steps)))
