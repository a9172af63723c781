"""Scalars of many runs as one table in long format: run, tag, step, wall_time, value, and optionally hidden.

polars, DuckDB and pyarrow accept the table directly, through the Arrow PyCapsule protocol. It does not need pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import nanoarrow as na
import numpy as np
import numpy.typing as npt

from lossboard.export.arrow_stream import lazy_stream
from lossboard.kinds.arrow_strings import repeat_strings

if TYPE_CHECKING:
    from lossboard.export.wide_table import WideTable
    from lossboard.store.column import Column

BATCH_ROWS = 1 << 16


class Chunk(NamedTuple):
    """One series."""

    run: str
    tag: str
    column: Column


class ScalarTable:
    """Rows of several series, one series after the other. They are created when they are read."""

    def __init__(self, chunks: Sequence[Chunk], *, hidden: bool = False) -> None:
        self.chunks = chunks
        types = {"run": na.string(), "tag": na.string(), "step": na.int64(), "wall_time": na.float64()}
        types |= {"value": na.float64()} | ({"hidden": na.bool_()} if hidden else {})
        self.columns = tuple(types)
        self.schema = na.c_schema(na.struct(types))

    def __len__(self) -> int:
        return sum(len(chunk.column) for chunk in self.chunks)

    def __repr__(self) -> str:
        runs, tags = ({getattr(chunk, name) for chunk in self.chunks} for name in ("run", "tag"))
        return f"<ScalarTable of {len(self)} rows: {len(runs)} runs, {len(tags)} tags>"

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Returns a column as a NumPy array."""
        if name not in self.columns:
            raise KeyError(f"No column {name!r}. The columns are {', '.join(self.columns)}.")
        if name in ("run", "tag"):
            names = np.array([getattr(chunk, name) for chunk in self.chunks], object)
            return np.repeat(names, [len(chunk.column) for chunk in self.chunks])
        parts = [_numbers(chunk, name) for chunk in self.chunks]
        return np.concatenate(parts) if parts else np.empty(0)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return lazy_stream(self.schema, self.batches()).__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame. Does not need pyarrow."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.columns})

    def wide(self) -> WideTable:
        """Returns a table with a row for each run and step, and a column of values for each tag."""
        from lossboard.export.wide_table import WideTable

        return WideTable(self.chunks)

    def batches(self) -> Iterator[Any]:
        """Yields Arrow record batches of about BATCH_ROWS rows."""
        pending: list[Chunk] = []
        rows = 0
        for chunk in self.chunks:
            pending.append(chunk)
            rows += len(chunk.column)
            if rows >= BATCH_ROWS:
                yield self._batch(pending, rows)
                pending, rows = [], 0
        if rows:
            yield self._batch(pending, rows)

    def _batch(self, chunks: list[Chunk], rows: int) -> Any:
        counts = [len(chunk.column) for chunk in chunks]
        children = [repeat_strings([getattr(chunk, name) for chunk in chunks], counts) for name in ("run", "tag")]
        for name, field in zip(self.columns[2:], list(self.schema.children)[2:], strict=True):
            values = np.concatenate([_numbers(chunk, name) for chunk in chunks])
            packed = np.packbits(values, bitorder="little") if name == "hidden" else values
            children.append(na.c_array_from_buffers(field, rows, [None, packed]))
        return na.c_array_from_buffers(self.schema, rows, [None], children=children)


def _numbers(chunk: Chunk, name: str) -> npt.NDArray[Any]:
    column = chunk.column
    if name == "step":
        return column.steps
    if name == "wall_time":
        return column.wall_times
    return column.values if name == "value" else column.hidden
