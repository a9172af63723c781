"""Scalars. The core has them as columns already: step, wall time, value as float64, whatever the type was on disk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from lossboard.store.run import Column, Run


class ScalarPoint(NamedTuple):
    step: int
    wall_time: float
    hidden: bool
    value: float


class ScalarSeries:
    """A column's points as objects, for those that take one after the other."""

    skipped = 0

    def __init__(self, column: Column, *, attempts: bool) -> None:
        self._column = column
        self._attempts = attempts

    def __iter__(self) -> Iterator[ScalarPoint]:
        column = self._column
        hidden = column.hidden.tolist() if self._attempts else [False] * len(column)
        columns = column.steps.tolist(), column.wall_times.tolist(), hidden, column.values.tolist()
        return map(ScalarPoint._make, zip(*columns, strict=True))


def scalars(run: Run, tag: str, *, attempts: bool = False) -> Column:
    """The column; with `attempts`, hidden points as well, in file order, `column.hidden` telling which."""
    return cast("Column", run.attempts("scalars", tag)) if attempts else run.column(tag)


def scalar_points(run: Run, tag: str, *, attempts: bool = False) -> ScalarSeries:
    return ScalarSeries(scalars(run, tag, attempts=attempts), attempts=attempts)
