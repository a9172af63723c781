"""Examples for text classification: reads files, detects columns, maps labels to ids, holds out a validation set.

Unreadable data raises a DataError that names the file, line or field and what to do. Readable data with problems
(invalid labels, empty texts, leaks) is kept, so `checks` can report all problems at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lossboard.errors import DataError
from lossboard.train.data.batches import Ids
from lossboard.train.data.cache import EntryWriter, cache_key, cached
from lossboard.train.data.columns import Columns, choose_columns
from lossboard.train.data.labels import (
    NO_LABEL,
    LabelFault,
    class_names,
    ids_by_key,
    invalid_reason,
    label_ids,
    positions,
)
from lossboard.train.data.split import Keys, hold_out, text_keys
from lossboard.train.data.stored_values import BLOCK_ROWS, SelectedValues
from lossboard.train.data.table import Table
from lossboard.train.data.tables import SUFFIXES, data_suffix, read_saved_dataset, read_shards, read_table

TRAIN_NAMES = ("train", "training")
# Not `test`: a test set that selects the best checkpoint no longer measures it.
VALIDATION_NAMES = ("validation", "valid", "val", "dev", "validation_matched")
MAX_LISTED_CLASSES = 20


# Locations that are kept of the examples with the same invalid label.
MAX_FAULT_LOCATIONS = 5


@dataclass(frozen=True)
class Split:
    """The training or validation set: some rows of a table, and their labels. Fields are read when they are used."""

    name: str
    table: Table
    columns: Columns
    rows: Ids
    labels: Ids
    keys: Keys  # equal for equal examples, ignoring case and spacing

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def texts(self) -> Sequence[str]:
        return SelectedValues(self.table.columns[self.columns.text], self.rows, _text)

    @property
    def pairs(self) -> Sequence[str] | None:
        """The second texts of text pairs."""
        pair = self.columns.pair
        return None if pair is None else SelectedValues(self.table.columns[pair], self.rows, _text)

    def location(self, row: int) -> str:
        """Returns where a person finds the example: `reviews.csv, line 17`."""
        return self.table.location(int(self.rows[row]))

    def locations(self, rows: Iterable[int]) -> Iterator[str]:
        return map(self.location, rows)

    def part(self, name: str, rows: Ids) -> "Split":
        return Split(name, self.table, self.columns, self.rows[rows], self.labels[rows], self.keys[rows])


@dataclass(frozen=True)
class TextData:
    """The examples of a run. `notes` describes the detected files, columns and classes."""

    train: Split
    validation: Split
    classes: tuple[str, ...]
    columns: Columns
    notes: tuple[str, ...]
    faults: tuple[LabelFault, ...]


def load_data(
    train: Path,
    validation: Path | None = None,
    *,
    text: str | None = None,
    pair: str | None = None,
    label: str | None = None,
    classes: Sequence[str] | None = None,
    fraction: float = 0.1,
    seed: int = 0,
    header: bool | None = None,
) -> TextData:
    """Reads `train`, a file or a directory of splits, and `validation`, or holds out `fraction` of the examples."""
    tables = _read_splits(train, validation, header=header)
    columns = choose_columns(tables[0], text=text, pair=pair, label=label)
    named = tables[0].class_names.get(columns.label)
    known = tuple(classes or named or class_names(tables[0].columns[columns.label]))
    ids = positions(known) if named and not classes else ids_by_key(known)
    splits, faults = [], []
    for name, table in zip(("train", "validation"), tables, strict=False):
        split, split_faults = _split(name, table, columns, known, ids)
        splits.append(split)
        faults += split_faults
    notes = [_note(table, columns) for table in tables]
    notes.append(f"{len(known)} classes: {_listed(known)}")
    if len(splits) == 1:
        kept, held = hold_out(splits[0].keys, splits[0].labels, fraction=fraction, seed=seed)
        notes.append(f"held out {len(held)} of {len(splits[0])} for validation (seed {seed}, classes in proportion)")
        splits = [splits[0].part("train", kept), splits[0].part("validation", held)]
    return TextData(splits[0], splits[1], known, columns, tuple(notes), tuple(faults))


def _note(table: Table, columns: Columns) -> str:
    return f"{table.path}: {len(table)} examples, {columns}" + (f" ({table.header})" if table.header else "")


def _listed(classes: Sequence[str]) -> str:
    more = " …" if len(classes) > MAX_LISTED_CLASSES else ""
    return ", ".join(f"{index} = {name}" for index, name in enumerate(classes[:MAX_LISTED_CLASSES])) + more


def _split(
    name: str, table: Table, columns: Columns, classes: Sequence[str], ids: dict[int | str, int]
) -> tuple[Split, list[LabelFault]]:
    for column in (columns.text, columns.pair, columns.label):
        if column is not None and column not in table.columns:
            raise DataError(
                f"{table.path}: no column {column!r}, which the training data has. Columns: {list(table.columns)}"
            )
    labels = label_ids(table.columns[columns.label], ids)
    split = Split(name, table, columns, np.arange(len(table)), labels, _keys(table, columns))
    return split, _faults(split, classes)


def _faults(split: Split, classes: Sequence[str]) -> list[LabelFault]:
    """Returns the invalid labels, in the order of their first examples."""
    values, rows_by_value = split.table.columns[split.columns.label], dict[str, list[int]]()
    examples: dict[str, Any] = {}
    for row in np.flatnonzero(split.labels == NO_LABEL).tolist():
        value = values[row]
        examples.setdefault(repr(value), value)
        rows_by_value.setdefault(repr(value), []).append(row)
    return [
        LabelFault(
            split.name,
            value,
            invalid_reason(examples[value], names=classes),
            len(rows),
            tuple(split.locations(rows[:MAX_FAULT_LOCATIONS])),
        )
        for value, rows in rows_by_value.items()
    ]


def _text(value: Any) -> str:
    """Returns a field as text. A missing text becomes an empty one, which a check reports."""
    return "" if value is None else str(value)


def iterate_texts(table: Table, columns: Columns) -> Iterator[list[tuple[str, ...]]]:
    """Yields the texts of all rows in blocks: (text,), or (text, pair) of text pairs."""
    names = [columns.text] if columns.pair is None else [columns.text, columns.pair]
    for start in range(0, len(table), BLOCK_ROWS):
        fields = [_checked_texts(table, name, start) for name in names]
        yield list(zip(*fields, strict=True))


def _checked_texts(table: Table, column: str, start: int) -> list[str]:
    texts = []
    for row, value in enumerate(table.columns[column][start : start + BLOCK_ROWS], start=start):
        if isinstance(value, (list, dict)):
            kind = type(value).__name__
            raise DataError(
                f"{table.location(row)}, field {column!r}: expected a text, got a {kind}. Choose another --text-column."
            )
        texts.append(_text(value))
    return texts


def _keys(table: Table, columns: Columns) -> Keys:
    """Returns the keys of all rows, from the cache or computed now."""

    def build(writer: EntryWriter) -> None:
        for block in iterate_texts(table, columns):
            writer.append("keys", text_keys(block))

    return cached(cache_key("keys", table.key, columns.text, columns.pair), build).arrays["keys"]


# ---- finding the two splits -----------------------------------------------------------------------------------------


def _read_splits(train: Path, validation: Path | None, *, header: bool | None) -> list[Table]:
    """Returns the training table, and the validation table if one is given or is in the same directory."""
    if not train.exists():
        raise DataError(
            f"No such file or directory: {train}. Set --data to the training examples, e.g. --data train.csv"
        )
    first = _read(train, TRAIN_NAMES, header=header)
    if first is None:
        raise DataError(f"{train}: no {' or '.join(TRAIN_NAMES)} split in this directory. Set --data to a file.")
    directory = train if train.is_dir() and not _is_saved(train) else None
    source = validation or directory
    second = _read(source, VALIDATION_NAMES, header=header) if source else None
    if validation and second is None:
        raise DataError(f"{validation}: no split named {', '.join(VALIDATION_NAMES)} in it. Set --val-data to a file.")
    return [first] if second is None else [first, second]


def _read(path: Path, names: Iterable[str], *, header: bool | None) -> Table | None:
    if not path.is_dir():
        return read_table(path, header=header)
    if _is_saved(path):
        return read_saved_dataset(path)
    for name in names:
        if _is_saved(path / name):
            return read_saved_dataset(path / name)
        if files := _split_files(path, name):
            return read_shards(files, header=header)
    return None


def _is_saved(folder: Path) -> bool:
    """Returns whether `datasets` saved one split here."""
    return (folder / "state.json").is_file()


def _split_files(folder: Path, name: str) -> list[Path]:
    """Returns `train.tsv`, or shards such as `data/train-00000-of-00002.parquet`."""
    candidates = [*folder.glob(f"{name}.*"), *folder.glob(f"{name}-*"), *folder.glob(f"data/{name}-*")]
    return sorted(file for file in candidates if data_suffix(file) in SUFFIXES)
