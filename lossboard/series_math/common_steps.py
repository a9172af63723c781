"""Two series at common steps, for arithmetic between them.

The steps are those of one of the two. The other has the value on the straight line between its own points there.
Before its first and after its last point it has none, so nothing is extrapolated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lossboard.series_math.points import Points

Values = NDArray[np.float64]


def at_common_steps(a: Points, b: Points) -> tuple[Points, Values, Values]:
    """Returns the common points and the values of both series there. The steps are those of the shorter series, as a
    validation loss is logged more rarely than a training loss. Of two equally long ones, they are those of the first.
    """
    if a.steps is b.steps or np.array_equal(a.steps, b.steps):
        return a, a.values, b.values
    if len(b) < len(a):
        points, other = at_steps_of(b, a)
        return points, other, points.values
    points, other = at_steps_of(a, b)
    return points, points.values, other


def at_steps_of(points: Points, other: Points) -> tuple[Points, Values]:
    """Returns the points that are within the other series, and the values of that series at their steps."""
    if not len(points) or not len(other):
        return points.part(slice(0, 0)), np.empty(0)
    # Both increase by step.
    inside = slice(
        int(np.searchsorted(points.steps, other.steps[0], "left")),
        int(np.searchsorted(points.steps, other.steps[-1], "right")),
    )
    own = points.part(inside)
    return own, np.interp(own.steps, other.steps, other.values)
