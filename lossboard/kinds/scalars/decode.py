"""Scalars. The core has them as columns already: step, wall time, value as float64, whatever the type was on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from lossboard.store.run import Column, Run


def scalars(run: Run, tag: str, *, attempts: bool = False) -> Column:
    """The column; with `attempts`, hidden points as well, in file order, `column.hidden` telling which."""
    return cast("Column", run.attempts("scalars", tag)) if attempts else run.column(tag)
