"""Column detection: finds the text and label columns by name, then by contents."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lossboard.errors import DataError
from lossboard.train.data.column_names import LABELS, PAIRS, TEXTS
from lossboard.train.data.table import Table
from lossboard.train.data.text_tables import is_number

# Detection by contents: a label has few values, a text has many words.
MAX_GUESSED_CLASSES = 50
MIN_TEXT_WORDS = 2.0
SAMPLE_ROWS = 1000


@dataclass(frozen=True)
class Columns:
    """The names of the columns that training uses."""

    text: str
    pair: str | None
    labels: tuple[str, ...]

    def __str__(self) -> str:
        texts = f"text from {self.text!r}" if self.pair is None else f"texts from {self.text!r} and {self.pair!r}"
        return f"{texts}, label from {', '.join(map(repr, self.labels))}"

    def names(self) -> list[str]:
        return [self.text, *([] if self.pair is None else [self.pair]), *self.labels]


@dataclass(frozen=True)
class GivenColumns:
    """The columns that the user has named, e.g. with --text-column. The others are detected."""

    text: str | None = None
    pair: str | None = None
    label: str | None = None


def choose_columns(table: Table, given: GivenColumns) -> Columns:
    """Returns the given columns and detects the rest. Raises an error if the choice is not clear."""
    text, pair, label = given.text, given.pair, given.label
    for flag, name in (("--text-column", text), ("--pair-column", pair), ("--label-column", label)):
        if name is not None and name not in table.columns:
            raise DataError(f"{table.path}: no column {name!r}. Set {flag} to one of: {_listed(table)}")
    chosen_label = label or _detect_label(table, taken={text, pair})
    if text is None:
        free = [name for name in table.columns if name not in (pair, chosen_label)]
        couple = _detect_pair(free) if pair is None else None
        text, pair = couple or (_detect_text(table, free), pair)
    return Columns(text, pair, (chosen_label,))


def choose_text_columns(table: Table, given: GivenColumns) -> Columns:
    """Returns the columns of texts without labels. A column with the name of a label is not a text."""
    for flag, name in (("--text-column", given.text), ("--pair-column", given.pair)):
        if name is not None and name not in table.columns:
            raise DataError(f"{table.path}: no column {name!r}. Set {flag} to one of: {_listed(table)}")
    if given.text is not None:
        return Columns(given.text, given.pair, ())
    label = given.label or first_named(list(table.columns), LABELS)
    free = [name for name in table.columns if name not in (given.pair, label)]
    couple = _detect_pair(free) if given.pair is None else None
    text, pair = couple or (free[0] if len(free) == 1 else _detect_text(table, free), given.pair)
    return Columns(text, pair, ())


def _detect_label(table: Table, *, taken: set[str | None]) -> str:
    free = [name for name in table.columns if name not in taken]
    by_name = first_named(free, LABELS)
    if by_name:
        return by_name
    few = [name for name in free if _looks_like_label(table.columns[name])]
    if len(few) != 1:
        raise DataError(
            f"{table.path}: cannot tell which column holds the labels. Set --label-column to one of: {_listed(table)}"
        )
    return few[0]


def _detect_pair(free: Sequence[str]) -> tuple[str, str] | None:
    """Returns two columns whose names are a known pair."""
    for couple in PAIRS:
        first, second = (first_named(free, (name,)) for name in couple)
        if first and second:
            return first, second
    return None


def _detect_text(table: Table, free: Sequence[str]) -> str:
    by_name = first_named(free, TEXTS)
    if by_name:
        return by_name
    wordy = [name for name in free if _mean_words(table.columns[name]) >= MIN_TEXT_WORDS]
    if len(wordy) != 1:
        raise DataError(
            f"{table.path}: cannot tell which column holds the texts. Set --text-column to one of: {_listed(table)}"
        )
    return wordy[0]


def first_named(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """Returns the column with one of the wanted names, which come in the order of preference."""
    lowered = {name.strip().lower(): name for name in names}
    # A nested field such as `data.text` counts as `text`, unless there is one.
    lowered = {name.rpartition(".")[2]: whole for name, whole in reversed(lowered.items())} | lowered
    return next((lowered[name] for name in wanted if name in lowered), None)


def _looks_like_label(values: Sequence[Any]) -> bool:
    sample = [value for value in values[:SAMPLE_ROWS] if value is not None]
    kinds = {str(value) for value in sample}
    most = min(MAX_GUESSED_CLASSES, max(2, len(sample) // 2))
    return 2 <= len(kinds) <= most and _mean_words(sample) < MIN_TEXT_WORDS


def _mean_words(values: Sequence[Any]) -> float:
    sample = [value for value in values[:SAMPLE_ROWS] if isinstance(value, str) and not is_number(value)]
    return sum(len(value.split()) for value in sample) / len(sample) if sample else 0.0


def _listed(table: Table) -> str:
    return ", ".join(map(repr, table.columns))
