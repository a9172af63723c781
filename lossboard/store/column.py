"""Points of one series as arrays: `Points` of any kind, and `Column` of scalars."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from lossboard import _core


class ScalarPoint(NamedTuple):
    step: int
    wall_time: float
    value: float


@dataclass(frozen=True, slots=True)
class _Part:
    """Some points of a column."""

    steps: NDArray[np.int64]
    wall_times: NDArray[np.float64]
    values: NDArray[np.float64]
    hidden: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.steps)


class Points:
    """Points of one series at the time of the call. Arrays are read-only and shared with the store."""

    __slots__ = ("_arrays", "_has_hidden")

    def __init__(self, arrays: _core.Points | _Part, *, attempts: bool = False) -> None:
        self._arrays = arrays
        self._has_hidden = attempts

    def __len__(self) -> int:
        return len(self._arrays)

    @property
    def steps(self) -> NDArray[np.int64]:
        return self._arrays.steps

    @property
    def wall_times(self) -> NDArray[np.float64]:
        return self._arrays.wall_times

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Marks superseded points. Only attempts have them."""
        return self._arrays.hidden if self._has_hidden else np.zeros(len(self), bool)


class Column(Points):
    """Scalars of one tag in one run: `steps`, `wall_times` and `values` as read-only arrays.

    Iteration yields points with `step`, `wall_time` and `value`. An index returns such a point. A slice, a mask or an
    array of indexes returns a column.
    """

    __slots__ = ()

    @property
    def values(self) -> NDArray[np.float64]:
        return self._arrays.values

    def __repr__(self) -> str:
        if not len(self):
            return "<Column without points>"
        first, last = self[0], self[-1]
        steps = f"step {last.step}" if len(self) == 1 else f"steps {first.step} … {last.step}"
        return f"<Column of {len(self)} point{'s'[: len(self) > 1]}, {steps}, last value {last.value:g}>"

    def __iter__(self) -> Iterator[ScalarPoint]:
        return map(ScalarPoint, self.steps.tolist(), self.wall_times.tolist(), self.values.tolist())

    @overload
    def __getitem__(self, key: int) -> ScalarPoint: ...
    @overload
    def __getitem__(self, key: slice | NDArray[Any]) -> Column: ...
    def __getitem__(self, key: int | slice | NDArray[Any]) -> ScalarPoint | Column:
        if isinstance(key, slice | np.ndarray):
            part = _Part(self.steps[key], self.wall_times[key], self.values[key], self.hidden[key])
            return Column(part, attempts=self._has_hidden)
        index = range(len(self))[key]
        return ScalarPoint(int(self.steps[index]), float(self.wall_times[index]), float(self.values[index]))

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame with the columns step, wall_time and value, and hidden for attempts."""
        import pandas

        columns = {"step": self.steps, "wall_time": self.wall_times, "value": self.values}
        return pandas.DataFrame(columns | ({"hidden": self.hidden} if self._has_hidden else {}))


def without_restarts(attempts: Column) -> Column:
    """Returns the visible points, and those that are superseded only by a later point at their step."""
    if not len(attempts):
        return attempts
    # The last point of a sequence of equal steps decides for all of them.
    ends = np.append(np.flatnonzero(np.diff(attempts.steps)), len(attempts) - 1)
    visible = np.repeat(~attempts.hidden[ends], np.diff(ends, prepend=-1))
    kept = attempts[visible]
    return Column(_Part(kept.steps, kept.wall_times, kept.values, kept.hidden))
