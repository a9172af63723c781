"""The runs table as text to copy, or as a Parquet file, in the formats of `lossboard ls`."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import UsageError
from lossboard.export.facts_table import FactsTable
from lossboard.export.readable_rows import readable_rows
from lossboard.export.run_lists import to_csv, to_latex, to_markdown
from lossboard.export.run_table import best_places, group_table
from lossboard.export.tables import write_parquet
from lossboard.kinds.params import get_objects, get_str
from lossboard.kinds.routes import BlobResult
from lossboard.select.facts.columns import text_column
from lossboard.select.runs import select_rows
from lossboard.select.select_fields import select_field, select_groups
from lossboard.server.documents import CopiedTable
from lossboard.syntax.errors import QueryError

if TYPE_CHECKING:
    from lossboard.select.facts.direction import Direction
    from lossboard.select.facts.fields import Field
    from lossboard.select.facts.table import FactTable
    from lossboard.server.board import BoardState

_MAX_COLUMNS = 500
_MARKUP = {"markdown": to_markdown, "latex": to_latex}


def copy_table(board: BoardState, params: Mapping[str, Any]) -> CopiedTable:
    """Returns the table as Markdown, LaTeX or CSV."""
    table, directions = _table(board, params)
    format = get_str(params, "format")
    if format == "csv":
        return {"text": "".join(to_csv(table.columns, table.rows())), "rows": len(table)}
    if format not in _MARKUP:
        raise UsageError('Expected "format" to be "markdown", "latex" or "csv".')
    names, rows = readable_rows(table)
    best = {(row, names.index(name)) for row, name in best_places(table, directions)}
    return {"text": "".join(_MARKUP[format](names, rows, best)), "rows": len(table)}


def parquet_table(board: BoardState, params: Mapping[str, Any]) -> BlobResult:
    table, _ = _table(board, params)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.parquet"
        write_parquet(table, path)
        return BlobResult(path.read_bytes(), "application/vnd.apache.parquet", "runs.parquet")


def _table(board: BoardState, params: Mapping[str, Any]) -> tuple[FactsTable, dict[str, Direction]]:
    facts = board.facts.table().fork()  # a condition to group by becomes a column of it
    columns = get_objects(params, "columns", maximum=_MAX_COLUMNS)
    try:
        fields = {_title(column): select_field(facts, get_str(column, "field")) for column in columns}
        by = select_groups(facts, get_str(params, "by")) if params.get("by") else None
    except QueryError as error:
        raise UsageError(f"Cannot copy the table: {error.message}") from error
    rows = _ordered_rows(facts, params.get("runs"))
    directions: dict[str, Direction] = {}
    for column in columns:
        if (best := column.get("best")) in ("min", "max"):
            directions[_title(column)] = best
    if by is not None:
        return group_table(facts, rows, by, fields), directions
    return _run_table(board, facts, rows, fields), directions


def _title(column: Mapping[str, Any]) -> str:
    return get_str(column, "title") if "title" in column else get_str(column, "field")


def _ordered_rows(facts: FactTable, selection: object) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Returns the rows of the selected runs. Those of `only` keep their order, which is that on screen."""
    rows = select_rows(facts.runs, selection)
    if isinstance(selection, dict) and isinstance(only := selection.get("only"), list):
        order = {id: place for place, id in enumerate(only)}
        rows.sort(key=lambda row: order[facts.runs[row].id])
    return np.array(rows, np.int64)


def _run_table(board: BoardState, facts: FactTable, rows: Any, fields: Mapping[str, Field]) -> FactsTable:
    names = board.context.display_names()
    shown = {"run": text_column([names[run.name] for run in facts.runs])}
    return FactsTable(shown | {name: facts.column(field) for name, field in fields.items()}, rows)
