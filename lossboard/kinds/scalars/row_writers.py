"""Writers of many rows: CSV and JSON in parts, so that a download of millions of points takes little memory.

Python cannot switch to another thread while it formats a part, so parts are small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from lossboard.kinds.json_numbers import number_texts

MAX_ROWS = 20_000_000
_ROWS_PER_PART = 5_000


def csv_rows(columns: Sequence[NDArray[Any]], *, before: str = "", newline: str = "\n") -> Iterator[bytes]:
    """Yields the rows of a table. Each starts with `before`."""
    for part in _parts(columns):
        texts = [map(repr, column.tolist()) for column in part]
        rows = (f"{before}{','.join(row)}{newline}" for row in zip(*texts, strict=True))
        yield "".join(rows).encode("utf-8", "replace")


def json_columns(columns: Mapping[str, NDArray[Any]]) -> Iterator[bytes]:
    """Yields `"name": [numbers]` of each column, with commas between them."""
    between = ""
    for name, column in columns.items():
        yield f'{between}"{name}": ['.encode()
        for i, (part,) in enumerate(_parts([column])):
            yield ((", " if i else "") + ", ".join(number_texts(part))).encode()
        yield b"]"
        between = ", "


def _parts(columns: Sequence[NDArray[Any]]) -> Iterator[list[NDArray[Any]]]:
    for start in range(0, len(columns[0]), _ROWS_PER_PART):
        yield [column[start : start + _ROWS_PER_PART] for column in columns]
