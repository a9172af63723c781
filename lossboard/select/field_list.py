"""Search in the facts that there are, for people who choose a column or a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lossboard.select.documents import FieldRow
from lossboard.select.fact_columns import is_constant
from lossboard.select.facts.direction import direction_of
from lossboard.select.facts.fields import RUN_FACTS, Field

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable


def list_fields(table: FactTable, rows: NDArray[np.int64], search: str, *, limit: int) -> tuple[int, list[FieldRow]]:
    """Returns how many facts have all words of a search in their name, and the first ones: hyperparameters that the
    most runs have, facts that every run has, then metrics."""
    words = search.lower().split()
    found = [field for field in _fields(table) if all(word in field.name.lower() for word in words)]
    if words:  # stable: of equal ones, the order above remains
        found.sort(key=lambda field: not field.name.lower().startswith(words[0]))
    return len(found), [_describe(table, rows, field) for field in found[:limit]]


def _fields(table: FactTable) -> list[Field]:
    hyperparameters = [Field("hp", name) for name, _ in table.hyperparameter_names.most_common()]
    facts = [Field("run", name) for name in RUN_FACTS]
    return hyperparameters + facts + [Field("metric", tag, "last") for tag in sorted(table.metric_names)]


def _describe(table: FactTable, rows: NDArray[np.int64], field: Field) -> FieldRow:
    row: FieldRow = {"field": str(field), "name": field.name, "source": "hp", "type": "number", "runs": 0}
    if field.source == "metric":  # its statistics take longer than listing it may
        row["source"], row["runs"] = "metric", table.metric_names[field.name]
        if (direction := direction_of(field)) is not None:
            row["best"] = direction
        return row
    column = table.column(field)
    row["type"], row["runs"] = column.type, int(np.count_nonzero(column.has_value[rows]))
    if field.source == "run":
        row["source"], row["detail"] = "run", RUN_FACTS[field.name][1]
    if is_constant(column, rows):
        row["constant"] = column.value(int(rows[0]))
    return row
