"""The table that `lossboard top` shows: runs with facts and sparklines, as many columns as fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lossboard.cli.formatting import display_width, pad, strip_control_chars, truncate
from lossboard.cli.sparkline import sparkline
from lossboard.export.describe_fact import describe_fact
from lossboard.export.run_lists import format_cell
from lossboard.export.run_table import default_fields
from lossboard.select.facts.fields import Field

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

_GAP = "  "
_SPARK_WIDTH = 12
_MOST_COLUMNS = 8
_MAX_NAME_WIDTH = 40
_MIN_NAME_WIDTH = 12


@dataclass(frozen=True)
class TextColumn:
    """A column of the table as text: its title, its cells, and how they are aligned."""

    title: str
    cells: list[str]
    is_right_aligned: bool

    @property
    def width(self) -> int:
        return max(map(display_width, [self.title, *self.cells]))

    def lines(self, width: int) -> list[str]:
        return [pad(truncate(cell, width), width, self.is_right_aligned) for cell in [self.title, *self.cells]]


def top_fields(facts: FactTable, rows: NDArray[np.int64]) -> dict[str, Field]:
    """Returns the facts to show if none are named: name, state and step, metrics with losses first, and
    hyperparameters that differ."""
    found = default_fields(facts, rows, limit=_MOST_COLUMNS)
    tags = sorted(facts.metric_names, key=lambda tag: ("loss" not in tag.lower(), tag))
    metrics = [Field("metric", tag, "last") for tag in tags[:_MOST_COLUMNS]]
    own = {name: field for name, field in found.items() if name in ("run", "state", "last_step")}
    settings = {name: field for name, field in found.items() if field.source == "hp"}
    return {**own, **{str(field): field for field in metrics}, **settings}


def text_columns(
    facts: FactTable, rows: Sequence[int], fields: dict[str, Field], *, ascii_only: bool
) -> list[TextColumn]:
    """Returns the facts of some runs as text. A metric has a sparkline before its value."""
    return [_text_column(facts, rows, name, field, ascii_only=ascii_only) for name, field in fields.items()]


def _text_column(facts: FactTable, rows: Sequence[int], name: str, field: Field, *, ascii_only: bool) -> TextColumn:
    column = facts.column(field)
    cells = [strip_control_chars(format_cell(describe_fact(column.value(row), column.type))) for row in rows]
    if field.source == "metric" and field.aggregate != "count":
        width = max(map(len, cells), default=0)
        sparks = [_sparkline(facts, row, field.name, ascii_only=ascii_only) for row in rows]
        cells = [f"{spark} {cell:>{width}}" if cell else "" for spark, cell in zip(sparks, cells, strict=True)]
    return TextColumn(strip_control_chars(name), cells, column.type in ("number", "duration", "size"))


def _sparkline(facts: FactTable, row: int, tag: str, *, ascii_only: bool) -> str:
    run = facts.runs[row]
    return sparkline(run.column(tag).values, _SPARK_WIDTH, ascii_only=ascii_only) if run.has("scalars", tag) else ""


def fit_columns(columns: Sequence[TextColumn], width: int) -> list[str]:
    """Returns a line for the titles and a line for each run. Columns on the right that do not fit are left out."""
    name = min(columns[0].width, _MAX_NAME_WIDTH)
    if len(columns) > 1:  # a long name gives way to the next column
        name = max(min(name, width - columns[1].width - len(_GAP)), min(name, _MIN_NAME_WIDTH))
    name = min(name, width)
    shown, used = [columns[0].lines(name)], name
    for column in columns[1:]:
        used += len(_GAP) + column.width
        if used > width:
            break
        shown.append(column.lines(column.width))
    return [_GAP.join(cells).rstrip() for cells in zip(*shown, strict=True)]
