from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lossboard.kinds.json_numbers import number_texts
from lossboard.kinds.registry import EventKind
from lossboard.kinds.scalars.decode import scalars

if TYPE_CHECKING:
    from lossboard.store.run import Run


def _encoded(run: Run, tag: str, *, attempts: bool = False) -> Iterator[str]:
    column = scalars(run, tag, attempts=attempts)
    marks = (
        [',"hidden":true' if hidden else "" for hidden in column.hidden.tolist()] if attempts else [""] * len(column)
    )
    columns = column.steps.tolist(), number_texts(column.wall_times), number_texts(column.values), marks
    for step, wall_time, value, mark in zip(*columns, strict=True):
        yield f'"step":{step},"wall_time":{wall_time},"value":{value}{mark}'


KIND = EventKind(
    name="scalars",
    plugins=frozenset({"scalars"}),
    series=scalars,
    encoded=_encoded,
    api="lossboard.kinds.scalars.api",
)
