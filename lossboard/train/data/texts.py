"""Texts of a table: fields as text, in blocks, and keys that are equal for equal texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.errors import DataError
from lossboard.train.data.cache import EntryWriter, cache_key, cached
from lossboard.train.data.columns import Columns
from lossboard.train.data.stored_values import BLOCK_ROWS
from lossboard.train.data.table import Table

Keys = npt.NDArray[np.uint64]


def as_text(value: Any) -> str:
    """Returns a field as text: words joined by spaces. A missing text becomes an empty one, which a check reports."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "" if value is None else str(value)


def is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) for word in value)


def iterate_texts(table: Table, columns: Columns) -> Iterator[list[tuple[str, ...]]]:
    """Yields the texts of all rows in blocks: (text,), or (text, pair) of text pairs."""
    names = [columns.text] if columns.pair is None else [columns.text, columns.pair]
    for start in range(0, len(table), BLOCK_ROWS):
        fields = [_checked_texts(table, name, start) for name in names]
        yield list(zip(*fields, strict=True))


def _checked_texts(table: Table, column: str, start: int) -> list[str]:
    texts = []
    for row, value in enumerate(table.columns[column][start : start + BLOCK_ROWS], start=start):
        if isinstance(value, (list, dict)) and not is_words(value):
            kind = type(value).__name__
            raise DataError(
                f"{table.location(row)}, field {column!r}: expected a text, got a {kind}. Choose another --text-column."
            )
        texts.append(as_text(value))
    return texts


def normalize_text(text: str) -> str:
    """Returns the text without differences in case and spacing, which hardly matter to a model."""
    return " ".join(text.casefold().split())


def text_keys(examples: Iterable[tuple[str, ...]]) -> Keys:
    """Returns a number for each example that is equal for equal texts, ignoring case and spacing.

    It is a hash of 64 bits. Among five million different texts, two get the same number with a chance of one in a
    million.
    """
    digests = b"".join(
        hashlib.blake2b("\0".join(map(normalize_text, texts)).encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for texts in examples
    )
    return np.frombuffer(digests, np.uint64)


def table_keys(table: Table, columns: Columns) -> Keys:
    """Returns the keys of all rows, from the cache or computed now."""

    def build(writer: EntryWriter) -> None:
        for block in iterate_texts(table, columns):
            writer.append("keys", text_keys(block))

    return cached(cache_key("keys", table.key, columns.text, columns.pair), build).arrays["keys"]
