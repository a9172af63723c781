"""The table that `lossboard ls` prints: facts of runs, or of groups of runs with mean and standard deviation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lossboard.export.facts_table import FactsTable
from lossboard.select.facts.columns import AnyColumn, Column, number_column, value_column
from lossboard.select.facts.fields import Field
from lossboard.select.group_means import group_means
from lossboard.select.groups import group_rows

if TYPE_CHECKING:
    from lossboard.select.facts.direction import Direction
    from lossboard.select.facts.table import FactTable

_ALWAYS = ("run", "state", "start", "duration", "last_step")


def default_fields(table: FactTable, rows: NDArray[np.int64], *, limit: int | None) -> dict[str, Field]:
    """Returns the facts to show if none are named: hyperparameters that differ, and the last value of every metric.
    With `limit`, at most so many of each."""
    names = sorted(table.hyperparameter_names)
    if limit is not None:
        names = [name for name in names if _differs(table.column(Field("hp", name)), rows)]
    fields = [Field("run", name) for name in _ALWAYS]
    fields += [Field("hp", name) for name in names[:limit]]
    fields += [Field("metric", tag, "last") for tag in sorted(table.metric_names)[:limit]]
    return {str(field).removeprefix("hp."): field for field in fields}


def _differs(column: AnyColumn, rows: NDArray[np.int64]) -> bool:
    codes, _ = column.labels
    return len(np.unique(codes[rows])) > 1


def run_table(table: FactTable, rows: NDArray[np.int64], fields: Mapping[str, Field]) -> FactsTable:
    """Returns a row for each run. Its name is the first column, unless it is one of the others."""
    if "run" not in fields:
        fields = {"run": Field("run", "run"), **fields}
    return FactsTable({name: table.column(field) for name, field in fields.items()}, rows)


def group_table(
    table: FactTable, rows: NDArray[np.int64], by: Mapping[str, Field], fields: Mapping[str, Field]
) -> FactsTable:
    """Returns a row for each group: the facts that it is grouped by, the number of runs, and mean and standard
    deviation (n - 1) of every numeric fact."""
    groups = group_rows(table, rows, list(by.values()))
    sizes = np.array([len(group.rows) for group in groups], np.int64)
    columns: dict[str, AnyColumn] = {
        name: value_column([group.key[field] for group in groups]) for name, field in by.items()
    }
    columns["runs"] = number_column(sizes, sizes > 0)
    for name, field in fields.items():
        column = table.column(field)
        if isinstance(column, Column) and column.type in ("number", "duration", "size") and field not in by.values():
            columns[name], columns[f"{name} std"] = _mean_and_std(column, [group.rows for group in groups])
    return FactsTable(columns, np.arange(len(groups)))


def best_places(table: FactsTable, directions: Mapping[str, Direction]) -> set[tuple[int, str]]:
    """Returns the row and the column of the best values. Equal ones are all best, unless all runs are equal."""
    best = set()
    for name in directions.keys() & set(table.columns):  # a table of groups has only some of the facts
        values = [value if isinstance(value, float) else math.nan for value in table[name]]
        finite = {value for value in values if math.isfinite(value)}
        if len(finite) > 1:
            wanted = min(finite) if directions[name] == "min" else max(finite)
            best |= {(row, name) for row, value in enumerate(values) if value == wanted}
    return best


def _mean_and_std(column: Column, groups: Sequence[NDArray[np.int64]]) -> tuple[Column, Column]:
    means, stds, _ = group_means(column.numbers, groups)
    return number_column(means, ~np.isnan(means), type=column.type), number_column(stds, ~np.isnan(stds))
