"""Running a query: from a text to the runs that it selects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lossboard.select.facts.fields import Field
from lossboard.select.query.evaluate import Evaluation
from lossboard.select.query.parser import parse

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable
    from lossboard.store.run import Run


@dataclass(frozen=True)
class QueryResult:
    """The runs that a query selects, in the order of the board."""

    rows: NDArray[np.int64]
    """Their rows in the table of facts."""
    runs: list[Run]
    lacking: dict[Field, int]
    """Facts that the query uses, with how many runs lack each. The query is not true for those, nor is its opposite."""

    @property
    def ids(self) -> list[str]:
        return [run.id for run in self.runs]


def run_query(table: FactTable, query: str) -> QueryResult:
    """Returns the runs for which a query is true. Raises QueryError if it is not valid."""
    node = parse(query)
    if node is None:
        return QueryResult(np.arange(len(table)), list(table.runs), {})
    evaluation = Evaluation(table)
    rows = np.flatnonzero(evaluation.run(node).true)
    lacking = {field: int((~column.has_value).sum()) for field, column in evaluation.used.items()}
    lacking = {field: count for field, count in lacking.items() if count}
    return QueryResult(rows, [table.runs[row] for row in rows.tolist()], lacking)
