"""Columns and orders that users name in a list, such as `lr, last(train/loss) desc`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lossboard.select.facts.columns import boolean_column
from lossboard.select.facts.fields import Field
from lossboard.select.groups import sort_key
from lossboard.select.query.evaluate import Evaluation
from lossboard.select.query.names import resolve
from lossboard.select.query.parser import parse_fields, parse_groups
from lossboard.select.query.syntax import FieldName, Node
from lossboard.syntax.errors import QueryError

if TYPE_CHECKING:
    from lossboard.select.facts.direction import Direction
    from lossboard.select.facts.table import FactTable


def select_fields(table: FactTable, text: str) -> dict[str, Field]:
    """Returns the facts of a list, by the names that the list gives them."""
    return {text[name.place.start : name.place.end]: resolve(name, table) for name, _ in parse_fields(text)}


def select_field(table: FactTable, text: str) -> Field:
    """Returns the one fact that a text names."""
    names = parse_fields(text)
    if len(names) != 1:
        raise QueryError("Expected one name.", 0, len(text))
    return resolve(names[0][0], table)


def select_groups(table: FactTable, text: str) -> dict[str, Field]:
    """Returns the facts of a list to group by, by the names that the list gives them. A condition such as `lr < 1e-3`
    becomes a fact that is true, false or missing."""
    fields = {}
    for group, place in parse_groups(text):
        name = text[place.start : place.end]
        fields[name] = resolve(group, table) if isinstance(group, FieldName) else _condition(table, name, group)
    return fields


def _condition(table: FactTable, text: str, node: Node) -> Field:
    truth = Evaluation(table).run(node)
    field = Field("query", text)
    table.add_column(field, boolean_column(truth.true, truth.false))
    return field


def select_directions(table: FactTable, text: str) -> dict[Field, Direction]:
    """Returns the facts of a list with what is best: the smallest value, or the largest after `desc`."""
    return {resolve(name, table): "max" if is_descending else "min" for name, is_descending in parse_fields(text)}


def sort_rows(table: FactTable, rows: NDArray[np.int64], order: str) -> NDArray[np.int64]:
    """Orders rows by the facts of a list, the first first. Missing values and NaN come last in either direction."""
    for name, is_descending in reversed(parse_fields(order)):
        values = table.column(resolve(name, table)).values()
        keys = {row: sort_key(values[row]) for row in rows.tolist()}
        known = sorted((row for row in rows.tolist() if keys[row][0] < 3), key=keys.__getitem__, reverse=is_descending)
        rows = np.array(known + [row for row in rows.tolist() if keys[row][0] >= 3], np.int64)
    return rows
