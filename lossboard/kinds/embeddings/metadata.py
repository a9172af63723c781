"""Metadata of an embedding as typed columns: numbers, categories and free text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError

if TYPE_CHECKING:
    from lossboard.kinds.embeddings.decode import Embedding

MAX_CATEGORIES = 200
"""A column with more distinct texts is free text."""


@dataclass(frozen=True)
class Column:
    name: str
    texts: list[str]
    numbers: npt.NDArray[np.float64] | None
    """The values, if all texts are numbers."""
    categories: list[str] | None
    """The distinct texts by falling frequency, if they are few."""
    codes: npt.NDArray[np.int32] | None
    """Index of each row's text in `categories`."""

    @property
    def type(self) -> Literal["number", "category", "text"]:
        if self.numbers is not None:
            return "number"
        return "text" if self.categories is None else "category"


@dataclass(frozen=True)
class Metadata:
    rows: int
    columns: list[Column]

    def column(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise LookupError(f"The metadata has no column {name!r}.")


def read_metadata(embedding: Embedding, rows: int) -> Metadata:
    header, cells = embedding.metadata()
    if embedding.metadata_path and len(cells) != rows:
        raise DecodeError(f"The metadata has {len(cells)} rows and the tensor {rows}, so labels cannot be assigned.")
    if not cells:
        return Metadata(rows, [])
    names = _unique(header or ["label", *(f"column {i}" for i in range(2, max(map(len, cells)) + 1))])
    columns = [[row[i] if i < len(row) else "" for row in cells] for i in range(len(names))]
    return Metadata(rows, [_column(name, texts) for name, texts in zip(names, columns, strict=True)])


def _column(name: str, texts: list[str]) -> Column:
    distinct, codes, counts = np.unique(np.array(texts, object), return_inverse=True, return_counts=True)
    if len(distinct) > MAX_CATEGORIES:
        return Column(name, texts, _numbers(texts), None, None)
    order = np.argsort(-counts, kind="stable")
    places = np.empty(len(order), np.int32)
    places[order] = np.arange(len(order))
    return Column(name, texts, _numbers(texts), distinct[order].tolist(), places[codes])


def _numbers(texts: list[str]) -> npt.NDArray[np.float64] | None:
    try:
        return np.array([float(text) for text in texts], np.float64)
    except ValueError:
        return None


def _unique(names: list[str]) -> list[str]:
    """Names of columns, with a number for those that come again."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result
