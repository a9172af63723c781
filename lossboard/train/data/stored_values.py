"""Columns on disk: sequences of values that are decoded when they are used, so millions of rows need little memory.

A column is two files of a cache entry. One has the values as JSON, each followed by a comma, and the other the end of
each value. So a range of values is one JSON array.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from lossboard.train.data.cache import EntryWriter, StoredBytes

BLOCK_ROWS = 1024


def _json_form(value: Any) -> Any:
    """Returns what is stored for a value that JSON lacks: the size of bytes, and dates, decimals and others as text."""
    return {"bytes": len(value)} if isinstance(value, bytes) else str(value)


_encode = json.JSONEncoder(ensure_ascii=False, default=_json_form).encode


class ColumnWriter:
    """Writes one column. `name` is that of its files."""

    def __init__(self, writer: EntryWriter, name: str) -> None:
        self._writer, self._name, self._end = writer, name, 0
        self.rows = 0

    def extend(self, values: Sequence[Any]) -> None:
        # A lone surrogate, which JSON files can contain, is kept as it is.
        stored = [f"{_encode(value)},".encode("utf-8", "surrogatepass") for value in values]
        ends = self._end + np.cumsum([len(value) for value in stored], dtype=np.int64)
        self._writer.append_bytes(self._name, b"".join(stored))
        self._writer.append(f"{self._name}-ends", ends)
        self._end = int(ends[-1]) if len(ends) else self._end
        self.rows += len(values)

    def fill(self, rows: int) -> None:
        """Adds missing values until the column has this many rows."""
        if rows > self.rows:
            self.extend([None] * (rows - self.rows))


class StoredColumn(Sequence[Any]):
    """The values of one column."""

    def __init__(self, data: StoredBytes, ends: npt.NDArray[np.int64]) -> None:
        self._data, self._ends = data, ends

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, row: int) -> Any: ...

    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...

    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            start, stop, step = row.indices(len(self))
            return self._values(start, stop)[::step] if step > 0 else [self[i] for i in range(start, stop, step)]
        at = row + len(self) if row < 0 else row
        if not 0 <= at < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        return self._values(at, at + 1)[0]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), BLOCK_ROWS):
            yield from self._values(start, min(start + BLOCK_ROWS, len(self)))

    def _values(self, start: int, stop: int) -> list[Any]:
        if start >= stop:
            return []
        begin = int(self._ends[start - 1]) if start else 0
        stored = self._data.read(begin, int(self._ends[stop - 1]) - 1)
        values: list[Any] = json.loads(f"[{stored.decode('utf-8', 'surrogatepass')}]")
        return values


class SelectedValues(Sequence[Any]):
    """Some rows of a column, each converted when it is used."""

    def __init__(
        self, column: Sequence[Any], rows: npt.NDArray[np.int64], convert: Callable[[Any], Any] | None = None
    ) -> None:
        self._column, self._rows, self._convert = column, rows, convert

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, row: int) -> Any: ...

    @overload
    def __getitem__(self, row: slice) -> list[Any]: ...

    def __getitem__(self, row: int | slice) -> Any:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(len(self)))]
        value = self._column[int(self._rows[row])]
        return value if self._convert is None else self._convert(value)

    def __iter__(self) -> Iterator[Any]:
        # Rows that are close to each other are read together.
        for start in range(0, len(self), BLOCK_ROWS):
            rows = self._rows[start : start + BLOCK_ROWS]
            first, last = int(rows.min()), int(rows.max())
            if last - first < 4 * BLOCK_ROWS:
                near = self._column[first : last + 1]
                values = [near[row - first] for row in rows.tolist()]
            else:
                values = [self._column[row] for row in rows.tolist()]
            yield from values if self._convert is None else map(self._convert, values)
