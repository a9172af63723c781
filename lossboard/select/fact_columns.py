"""Columns of facts as the HTTP API sends them: numbers, codes of texts, and which rows have which.

Text is sent once for each different value, because most facts have few.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lossboard.select.documents import FactColumn
from lossboard.select.facts.columns import BOOLEAN, NUMBER, TEXT, AnyColumn, TextsColumn, text_column
from lossboard.select.facts.direction import direction_of
from lossboard.select.facts.fields import Field


def fact_column(
    name: str, field: Field, column: AnyColumn, rows: NDArray[np.int64]
) -> tuple[FactColumn, dict[str, NDArray[Any]]]:
    """Returns the description and the table of some rows of a column. The table has `kind`, which is 0 for a missing
    value, 1 for a number, 2 for a text and 3 for a boolean; `number` and `code` only if there are such values."""
    if isinstance(column, TextsColumn):
        column = text_column(column.values())
    kinds = column.kinds[rows]
    head: FactColumn = {
        "field": name,
        "type": column.type,
        "runs": int(np.count_nonzero(kinds)),
        "constant": is_constant(column, rows),
    }
    table: dict[str, NDArray[Any]] = {"kind": kinds}
    if np.isin(kinds, (NUMBER, BOOLEAN)).any():
        table["number"] = column.numbers[rows]
    if (kinds == TEXT).any():
        used, codes = np.unique(column.codes[rows], return_inverse=True)
        has_gaps = int(used[0] < 0)
        table["code"] = (codes - has_gaps).astype(np.int32)
        head["texts"] = [column.texts[code] for code in used[has_gaps:].tolist()]
    if (direction := direction_of(field)) is not None:
        head["best"] = direction
    return head, table


def is_constant(column: AnyColumn, rows: NDArray[np.int64]) -> bool:
    """Whether all of these runs have the same value."""
    codes = column.labels.codes[rows]
    return len(codes) > 0 and bool((codes == codes[0]).all()) and bool(column.has_value[rows[0]])
