"""Table: the columns of a file of examples, with the location of each row."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lossboard.errors import DataError


@dataclass(frozen=True)
class Table:
    """Columns of equal length, with the location of each row in its file."""

    path: Path
    columns: dict[str, list[Any]]
    lines: list[int]
    unit: str = "line"
    class_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    header: str = ""  # how the column names were found, if the file did not say it

    def __len__(self) -> int:
        return len(self.lines)

    def location(self, row: int) -> str:
        """Returns where a person finds the row: `reviews.csv, line 17`."""
        return f"{self.path.name}, {self.unit} {self.lines[row]}"


def numbered_table(path: Path, columns: dict[str, list[Any]], *, unit: str = "row", **facts: Any) -> Table:
    """Returns a table whose rows are numbered from 1."""
    length = len(next(iter(columns.values()), []))
    return Table(path, columns, list(range(1, length + 1)), unit, **facts)


def join_tables(tables: list[Table]) -> Table:
    """Joins the shards of one split. With several files, rows are numbered continuously."""
    first = tables[0]
    if len(tables) == 1:
        return first
    for other in tables[1:]:
        if list(other.columns) != list(first.columns):
            raise DataError(f"{other.path}: columns {[*other.columns]}, but {first.path.name} has {[*first.columns]}")
    columns = {name: [value for table in tables for value in table.columns[name]] for name in first.columns}
    return Table(first.path.parent, columns, list(range(1, sum(map(len, tables)) + 1)), "row", first.class_names)
