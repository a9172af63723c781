"""Table: the columns of a file of examples, with the location of each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

# Rows that are read and stored together.
CHUNK_ROWS = 4096


@dataclass(frozen=True)
class Chunk:
    """Some rows of a file: columns of equal length, and the line or number of each row."""

    columns: Mapping[str, Sequence[Any]]
    lines: Sequence[int]


@dataclass(frozen=True)
class RowStream:
    """The rows of a file while it is read, so that it is never in memory as a whole."""

    chunks: Iterable[Chunk]
    unit: str = "line"
    class_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    header: str = ""  # how the column names were found, if the file did not say it


@dataclass(frozen=True)
class Table:
    """Columns of equal length, with the location of each row in its file. `key` identifies the content for caches."""

    path: Path
    columns: Mapping[str, Sequence[Any]]
    lines: npt.NDArray[np.int64]
    key: str
    unit: str = "line"
    class_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    header: str = ""

    def __len__(self) -> int:
        return len(self.lines)

    def location(self, row: int) -> str:
        """Returns where a person finds the row: `reviews.csv, line 17`."""
        return f"{self.path.name}, {self.unit} {self.lines[row]}"
