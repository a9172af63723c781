"""Scalars of many runs as one table in wide format: run, step, and a column of values for each tag.

A value is NaN where a run has no point of a tag at a step. The last of several points at one step counts. The tags
`run` and `step` are named `run (tag)` and `step (tag)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import nanoarrow as na
import numpy as np
import numpy.typing as npt
from nanoarrow.c_array_stream import CArrayStream

from lossboard.kinds.arrow_strings import repeat_strings

if TYPE_CHECKING:
    from lossboard.export.scalar_table import Chunk
    from lossboard.store.column import Column


class WideTable:
    """Rows by run and step. `table["train/loss"]` is the column of a tag."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        by_run: dict[str, dict[str, Column]] = {}
        tags: dict[str, None] = {}
        for run, tag, column in chunks:
            tag = f"{tag} (tag)" if tag in ("run", "step") else tag
            by_run.setdefault(run, {})[tag] = column
            tags[tag] = None
        self.columns = ("run", "step", *tags)
        self._runs = list(by_run)
        steps = [np.unique(np.concatenate([column.steps for column in own.values()])) for own in by_run.values()]
        self._counts = [len(one) for one in steps]
        self._step = np.concatenate([*steps, np.empty(0, np.int64)])
        self._values = {
            tag: np.concatenate(
                [*(_values_at(one, own.get(tag)) for one, own in zip(steps, by_run.values(), strict=True)), np.empty(0)]
            )
            for tag in tags
        }

    def __len__(self) -> int:
        return len(self._step)

    def __repr__(self) -> str:
        return f"<WideTable of {len(self)} rows: {len(self._runs)} runs, {len(self._values)} tags>"

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Returns a column as a NumPy array."""
        if name in self._values:
            return self._values[name]
        if name == "run":
            return np.repeat(np.array(self._runs, object), self._counts)
        if name == "step":
            return self._step
        raise KeyError(f"No column {name!r}. The columns are {', '.join(self.columns)}.")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        types = {"run": na.string(), "step": na.int64()} | dict.fromkeys(self._values, na.float64())
        schema = na.c_schema(na.struct(types))
        numbers = [self._step, *self._values.values()]
        children = [repeat_strings(self._runs, self._counts)]
        for array, field in zip(numbers, list(schema.children)[1:], strict=True):
            children.append(na.c_array_from_buffers(field, len(self), [None, array]))
        rows = na.c_array_from_buffers(schema, len(self), [None], children=children)
        return CArrayStream.from_c_arrays([rows], schema).__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Returns a pandas DataFrame. Its index is run and step, and it has a column for each tag."""
        import pandas

        index = pandas.MultiIndex.from_arrays([self["run"], self._step], names=["run", "step"])
        return pandas.DataFrame(self._values, index=index)


def _values_at(steps: npt.NDArray[np.int64], column: Column | None) -> npt.NDArray[np.float64]:
    values = np.full(len(steps), np.nan)
    if column is not None:
        values[np.searchsorted(steps, column.steps)] = column.values
    return values
