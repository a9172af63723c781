"""Columns of the table of facts: NumPy arrays that know which rows have a value and of which type it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lossboard.select.facts.values import FactValue

ColumnType: TypeAlias = Literal["number", "text", "boolean", "mixed", "time", "duration", "size", "texts"]
"""`mixed` has values of several types. `time` is seconds since 1970, `duration` seconds, `size` bytes; `texts` has any
number of texts in each row."""

MISSING, NUMBER, TEXT, BOOLEAN = range(4)
_NAMES: dict[int, ColumnType] = {NUMBER: "number", TEXT: "text", BOOLEAN: "boolean"}

Mask: TypeAlias = NDArray[np.bool_]


class Labels(NamedTuple):
    """The different values of a column, and for each row which of them it has."""

    codes: NDArray[np.int64]
    values: list[FactValue | None]


@dataclass(frozen=True)
class Column:
    """One value for each run, or none. NaN is a value: a metric may have diverged."""

    type: ColumnType
    kinds: NDArray[np.uint8]
    """MISSING, NUMBER, TEXT or BOOLEAN for each row."""
    numbers: NDArray[np.float64]
    """Numbers, and booleans as 0 and 1; NaN in other rows."""
    codes: NDArray[np.int32]
    """Positions in `texts`; -1 in rows without a text."""
    texts: tuple[str, ...] = ()
    """Each text once."""
    is_integer: bool = False

    def __len__(self) -> int:
        return len(self.kinds)

    @cached_property
    def has_value(self) -> Mask:
        has_value: Mask = self.kinds != MISSING
        return has_value

    def value(self, row: int) -> FactValue | None:
        kind = int(self.kinds[row])
        if kind == MISSING:
            return None
        if kind == TEXT:
            return self.texts[int(self.codes[row])]
        number = float(self.numbers[row])
        return number if kind == NUMBER else bool(number)

    def values(self) -> list[FactValue | None]:
        return [self.value(row) for row in range(len(self))]

    def take(self, rows: NDArray[np.int64]) -> Column:
        """Returns the column of these rows only."""
        return replace(self, kinds=self.kinds[rows], numbers=self.numbers[rows], codes=self.codes[rows])

    @cached_property
    def labels(self) -> Labels:
        """A small number for each row. Equal values have equal numbers."""
        codes = np.zeros(len(self), np.int64)
        values: list[FactValue | None] = []
        for kind in np.unique(self.kinds).tolist():
            rows = self.kinds == kind
            keys = self.codes if kind == TEXT else self.numbers
            _, first, inverse = np.unique(keys[rows], return_index=True, return_inverse=True)
            if kind == MISSING:
                first, inverse = first[:1], np.zeros(len(inverse), np.int64)
            codes[rows] = inverse + len(values)
            values += [self.value(int(row)) for row in np.flatnonzero(rows)[first]]
        return Labels(codes, values)


@dataclass(frozen=True)
class TextsColumn:
    """Any number of texts for each run, such as its tags."""

    rows: NDArray[np.int64]
    """The row of each text."""
    codes: NDArray[np.int32]
    texts: tuple[str, ...]
    length: int
    type: ColumnType = "texts"

    def __len__(self) -> int:
        return self.length

    @cached_property
    def has_value(self) -> Mask:
        return self.rows_with(np.ones(len(self.texts), bool))

    def rows_with(self, wanted: Mask) -> Mask:
        """Returns the rows that have any of these texts."""
        found = np.zeros(self.length, bool)
        found[self.rows[wanted[self.codes]]] = True
        return found

    def value(self, row: int) -> str | None:
        return ", ".join(self.texts[code] for code in self.codes[self.rows == row]) or None

    def values(self) -> list[FactValue | None]:
        lists: list[list[str]] = [[] for _ in range(self.length)]
        for row, code in zip(self.rows.tolist(), self.codes.tolist(), strict=True):
            lists[row].append(self.texts[code])
        return [", ".join(texts) or None for texts in lists]

    @cached_property
    def labels(self) -> Labels:
        return text_column(self.values()).labels


AnyColumn: TypeAlias = Column | TextsColumn


def number_column(
    numbers: NDArray[np.float64] | NDArray[np.int64],
    has_value: Mask,
    *,
    type: ColumnType = "number",
) -> Column:
    kinds = np.where(has_value, NUMBER, MISSING).astype(np.uint8)
    values = np.where(has_value, numbers, np.nan).astype(np.float64)
    integer = np.issubdtype(numbers.dtype, np.integer)
    return Column(type, kinds, values, np.full(len(values), -1, np.int32), is_integer=bool(integer))


def boolean_column(true: Mask, false: Mask) -> Column:
    """Returns a column from where it is true and where it is false. Other rows have no value."""
    has_value = true | false
    kinds = np.where(has_value, BOOLEAN, MISSING).astype(np.uint8)
    return Column("boolean", kinds, np.where(has_value, true, np.nan), np.full(len(true), -1, np.int32))


def text_column(values: Sequence[FactValue | None]) -> Column:
    return value_column(values, type="text")


def value_column(values: Sequence[FactValue | None], *, type: ColumnType | None = None) -> Column:
    """Makes a column of values of any type. Without `type`, it is the type of all values, or `mixed`."""
    size = len(values)
    kinds = np.fromiter((_KIND_OF[value.__class__] for value in values), np.uint8, size)
    numbers = np.fromiter((np.nan if v is None or v.__class__ is str else v for v in values), np.float64, size)
    codes, texts = _encode([None] * size)
    found = np.unique(kinds[kinds != MISSING])
    if TEXT in found:
        codes, texts = _encode(value if value.__class__ is str else None for value in values)
    if type is None:
        type = _NAMES[int(found[0])] if len(found) == 1 else "mixed"
    return Column(type, kinds, numbers, codes, texts)


_KIND_OF = {type(None): MISSING, float: NUMBER, int: NUMBER, str: TEXT, bool: BOOLEAN}


def _encode(values: Iterable[object]) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    known: dict[object, int] = {}
    codes = [-1 if value is None else known.setdefault(value, len(known)) for value in values]
    return np.array(codes, np.int32), tuple(str(text) for text in known)


def texts_column(lists: Sequence[Sequence[str]]) -> TextsColumn:
    codes, texts = _encode(text for row in lists for text in row)
    rows = np.repeat(np.arange(len(lists)), [len(row) for row in lists])
    return TextsColumn(rows, codes, texts, len(lists))
