"""Tables of facts as people read them: times and sizes in words, a mean with its deviation in one cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lossboard.export.describe_fact import describe_fact
from lossboard.export.run_lists import Cell, format_cell

if TYPE_CHECKING:
    from lossboard.export.facts_table import FactsTable


def readable_rows(table: FactsTable) -> tuple[list[str], list[list[Cell]]]:
    """Returns the names of the columns, and the cells of each row."""
    names = [name for name in table.columns if f"{name.removesuffix(' std')} std" != name]
    at = {name: index for index, name in enumerate(table.columns)}
    types = table.types

    def cell(row: Sequence[Cell], name: str) -> Cell:
        value, std = row[at[name]], row[at[f"{name} std"]] if f"{name} std" in at else None
        shown = describe_fact(value, types[name])
        return shown if std is None else f"{format_cell(shown)} ± {format_cell(describe_fact(std, types[name]))}"

    return names, [[cell(row, name) for name in names] for row in table.rows()]
