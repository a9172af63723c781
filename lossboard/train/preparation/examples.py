"""Examples of a run: reads files, chooses the task and the columns, reads labels, holds out a validation set.

Unreadable data raises a DataError that names the file, line or field and what to do. Readable data with problems
(invalid labels, empty texts, leaks) is kept, so `checks` can report all problems at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lossboard.errors import DataError
from lossboard.train.config import TaskName
from lossboard.train.data.columns import Columns, GivenColumns
from lossboard.train.data.labels import LabelFault
from lossboard.train.data.split import Split, hold_out
from lossboard.train.data.table import Table
from lossboard.train.data.tables import SUFFIXES, data_suffix, read_saved_dataset, read_shards, read_table
from lossboard.train.data.texts import Keys, table_keys
from lossboard.train.data.unsupported import unsupported_data, unsupported_labels
from lossboard.train.tasks import TASKS, detect_task
from lossboard.train.tasks.task import Task

TRAIN_NAMES = ("train", "training")
# Not `test`: a test set that selects the best checkpoint no longer measures it.
VALIDATION_NAMES = ("validation", "valid", "val", "dev", "validation_matched")
# Locations that are kept of the examples with the same invalid label.
MAX_FAULT_LOCATIONS = 5


@dataclass(frozen=True)
class TextData:
    """The examples of a run. `notes` describes the detected files, columns and classes."""

    task: Task
    train: Split
    validation: Split
    columns: Columns
    notes: tuple[str, ...]
    faults: tuple[LabelFault, ...]

    @property
    def classes(self) -> tuple[str, ...]:
        return self.task.classes


def load_data(
    train: Path,
    validation: Path | None = None,
    *,
    task: TaskName | None = None,
    text: str | None = None,
    pair: str | None = None,
    label: str | None = None,
    classes: Sequence[str] | None = None,
    fraction: float = 0.1,
    seed: int = 0,
    header: bool | None = None,
) -> TextData:
    """Reads `train`, a file or a directory of splits, and `validation`, or holds out `fraction` of the examples.

    Without `task`, the columns and labels of the training data tell it.
    """
    tables = _read_splits(train, validation, header=header)
    given = GivenColumns(text, pair, label)
    kind = TASKS[task] if task else detect_task(tables[0], given)
    columns = _choose_columns(kind, tables[0], given)
    chosen = kind.from_table(tables[0], columns, classes=classes)
    splits = [
        read_split(name, table, columns, chosen) for name, table in zip(("train", "validation"), tables, strict=False)
    ]
    faults = [fault for split in splits for fault in _faults(split, chosen)]
    notes = [_note(table, columns) for table in tables]
    notes.append(chosen.describe())
    if len(splits) == 1:
        kept, held = hold_out(_groups(splits[0], chosen), chosen.strata(splits[0].labels), fraction=fraction, seed=seed)
        notes.append(f"held out {len(held)} of {len(splits[0])} for validation (seed {seed}, classes in proportion)")
        splits = [splits[0].part("train", kept), splits[0].part("validation", held)]
    return TextData(chosen, splits[0], splits[1], columns, tuple(notes), tuple(faults))


def _choose_columns(task: type[Task], table: Table, given: GivenColumns) -> Columns:
    """Returns the columns of a task. The error for data that no task can use says what the data is."""
    try:
        columns = task.choose_columns(table, given)
    except DataError as error:
        if reason := unsupported_data(table):
            raise DataError(reason) from error
        raise
    if not task.takes_objects and len(columns.labels) == 1 and (reason := unsupported_labels(table, columns.labels[0])):
        raise DataError(reason)
    return columns


def find_task(train: Path, task: TaskName | None, given: GivenColumns, *, header: bool | None = None) -> type[Task]:
    """Returns the task that is set, or the one that the training data is for."""
    return TASKS[task] if task else detect_task(_read_splits(train, None, header=header)[0], given)


def read_split(name: str, table: Table, columns: Columns, task: Task) -> Split:
    """Returns all rows of a table with their labels."""
    for column in columns.names():
        if column not in table.columns:
            raise DataError(
                f"{table.path}: no column {column!r}, which the training data has. Columns: {list(table.columns)}"
            )
    labels = task.read_labels(table, columns)
    return Split(name, table, columns, np.arange(len(table)), labels, table_keys(table, columns))


def _groups(split: Split, task: Task) -> Keys:
    """Returns keys that are equal for examples of which either all or none are held out."""
    pair = split.columns.pair
    return table_keys(split.table, Columns(pair, None, ())) if task.shares_pairs and pair else split.keys


def _note(table: Table, columns: Columns) -> str:
    return f"{table.path}: {len(table)} examples, {columns}" + (f" ({table.header})" if table.header else "")


def _faults(split: Split, task: Task) -> list[LabelFault]:
    """Returns the invalid labels, in the order of their first examples."""
    columns = [split.table.columns[name] for name in split.columns.labels]
    rows_by_value: dict[str, list[int]] = {}
    for row in task.invalid_rows(split.labels).tolist():
        values: list[Any] = [column[row] for column in columns]
        rows_by_value.setdefault(", ".join(map(repr, values)), []).append(row)
    return [
        LabelFault(
            split.name,
            value,
            task.why_invalid(split.table, split.columns, rows[0]),
            len(rows),
            tuple(split.locations(rows[:MAX_FAULT_LOCATIONS])),
        )
        for value, rows in rows_by_value.items()
    ]


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
