"""Facts about runs as an Arrow table, without pyarrow: a row for each run, a typed column for each fact.

polars, DuckDB and pyarrow take the object as it is, by the Arrow PyCapsule protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import nanoarrow as na
import numpy as np
from nanoarrow.c_array_stream import CArrayStream
from numpy.typing import NDArray

from lossboard.kinds.arrow_strings import string_column
from lossboard.select.facts.columns import AnyColumn, ColumnType, Mask, TextsColumn
from lossboard.select.facts.values import FactValue


class FactsTable:
    """Columns by name. A missing value is null; a column with values of several types is text."""

    def __init__(self, columns: Mapping[str, AnyColumn], rows: NDArray[np.int64]) -> None:
        self._columns = dict(columns)
        self._rows = rows

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self._columns)

    @property
    def types(self) -> dict[str, ColumnType]:
        return {name: column.type for name, column in self._columns.items()}

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, name: str) -> list[FactValue | None]:
        """A column as a list, with None for missing values."""
        if name not in self._columns:
            raise KeyError(f"No column {name!r}; .columns has the names")
        values = self._columns[name].values()
        return [values[row] for row in self._rows.tolist()]

    def rows(self) -> list[tuple[FactValue | None, ...]]:
        """The values of each run, in the order of the columns."""
        return list(zip(*(self[name] for name in self._columns), strict=True))

    def to_pandas(self) -> Any:
        """A pandas DataFrame, also without pyarrow."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self._columns})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        arrays = {name: _arrow(column, self._rows) for name, column in self._columns.items()}
        schema = na.c_schema(na.struct({name: type for name, (type, _) in arrays.items()}))
        children = [array for _, array in arrays.values()]
        batch = na.c_array_from_buffers(schema, len(self), [None], children=children)
        stream = CArrayStream.from_c_arrays([batch], schema)
        return stream.__arrow_c_stream__(requested_schema)


def _arrow(column: AnyColumn, rows: NDArray[np.int64]) -> tuple[Any, Any]:
    """Returns the Arrow type and array of these rows of a column."""
    has_value = column.has_value[rows]
    if isinstance(column, TextsColumn) or column.type in ("text", "mixed"):
        values = column.values()
        texts = [None if (value := values[row]) is None else _spell(value) for row in rows.tolist()]
        return na.string(), string_column(texts)
    numbers = column.numbers[rows]
    if column.type == "boolean":
        return _primitive(na.bool_(), np.packbits(numbers == 1, bitorder="little"), has_value)
    if column.type == "time":
        return _primitive(na.timestamp("us", "UTC"), _integers(numbers * 1e6, has_value), has_value)
    if column.is_integer:
        return _primitive(na.int64(), _integers(numbers, has_value), has_value)
    return _primitive(na.float64(), np.ascontiguousarray(numbers), has_value)


def _spell(value: FactValue) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else f"{value:g}"


def _integers(numbers: NDArray[np.float64], has_value: Mask) -> NDArray[np.int64]:
    return np.where(has_value, np.clip(numbers, -(2.0**62), 2.0**62), 0).round().astype(np.int64)


def _primitive(type: Any, values: NDArray[Any], has_value: Mask) -> tuple[Any, Any]:
    return type, na.c_array_from_buffers(type, len(has_value), [_validity(has_value), values])


def _validity(has_value: Mask) -> NDArray[np.uint8] | None:
    return None if has_value.all() else np.packbits(has_value, bitorder="little")
