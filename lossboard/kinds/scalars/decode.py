"""Scalars. The core stores them as columns: step, wall time and value, always as float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from lossboard.store.column import Column
    from lossboard.store.run import Run


def scalars(run: Run, tag: str, *, attempts: bool = False) -> Column:
    """Returns the column. With `attempts`, it includes superseded points, in file order; see `column.hidden`."""
    return cast("Column", run.attempts("scalars", tag)) if attempts else run.column(tag)
