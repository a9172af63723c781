"""Examples for classifying texts or pairs of texts: read, columns chosen, labels to ids, a validation part held out.

What cannot be read raises a DataError that names file, line or field, and what to do. What can be read but should not
be trained on (labels that are no class, empty texts, leaks) stays in for `checks` to report whole, not one by one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lossboard.errors import DataError
from lossboard.train.data.columns import Columns, choose_columns
from lossboard.train.data.labels import (
    NO_LABEL,
    LabelFault,
    class_names,
    ids_by_key,
    label_key,
    positions,
    why_no_class,
)
from lossboard.train.data.split import hold_out, normalize_text
from lossboard.train.data.tables import SUFFIXES, Table, join_tables, read_saved_dataset, read_table

TRAIN_NAMES = ("train", "training")
VALIDATION_NAMES = ("validation", "valid", "val", "dev", "test", "validation_matched")
MAX_LISTED_CLASSES = 20


@dataclass(frozen=True)
class Split:
    """The examples of one side. `pairs` is None unless each example is two texts."""

    name: str
    texts: list[str]
    pairs: list[str] | None
    labels: list[int]
    locations: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    def keys(self) -> list[tuple[str, str]]:
        """What makes two examples the same, up to case and spacing."""
        return [
            (normalize_text(text), normalize_text(pair))
            for text, pair in zip(self.texts, self.pairs or [""] * len(self), strict=True)
        ]

    def part(self, name: str, rows: Sequence[int]) -> "Split":
        pairs = None if self.pairs is None else [self.pairs[row] for row in rows]
        labels, locations = [self.labels[row] for row in rows], [self.locations[row] for row in rows]
        return Split(name, [self.texts[row] for row in rows], pairs, labels, locations)


@dataclass(frozen=True)
class TextData:
    """All that training needs to know of its data, and `notes`: in words, what was taken for what."""

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
    """Reads `train`, a file or a folder of splits, and `validation`, or holds out `fraction` of the examples for it."""
    tables = _read_sides(train, validation, header=header)
    columns = choose_columns(tables[0], text=text, pair=pair, label=label)
    named = tables[0].class_names.get(columns.label)
    known = tuple(classes or named or class_names(tables[0].columns[columns.label]))
    ids = positions(known) if named and not classes else ids_by_key(known)
    sides, faults = [], []
    for name, table in zip(("train", "validation"), tables, strict=False):
        side, side_faults = _side(name, table, columns, known, ids)
        sides.append(side)
        faults += side_faults
    notes = [f"{table.path}: {len(table)} examples, {columns}" for table in tables]
    notes.append(f"{len(known)} classes: {_listed(known)}")
    if len(sides) == 1:
        kept, held = hold_out(sides[0].keys(), sides[0].labels, fraction=fraction, seed=seed)
        notes.append(f"held out {len(held)} of {len(sides[0])} for validation (seed {seed}, classes in proportion)")
        sides = [sides[0].part("train", kept), sides[0].part("validation", held)]
    return TextData(sides[0], sides[1], known, columns, tuple(notes), tuple(faults))


def _listed(classes: Sequence[str]) -> str:
    more = " …" if len(classes) > MAX_LISTED_CLASSES else ""
    return ", ".join(f"{index} = {name}" for index, name in enumerate(classes[:MAX_LISTED_CLASSES])) + more


def _side(
    name: str, table: Table, columns: Columns, classes: Sequence[str], ids: dict[int | str, int]
) -> tuple[Split, list[LabelFault]]:
    for column in (columns.text, columns.pair, columns.label):
        if column is not None and column not in table.columns:
            raise DataError(f"{table.path}: no column {column!r} as in the training data. It has {list(table.columns)}")
    locations = [table.location(row) for row in range(len(table))]
    raw = table.columns[columns.label]
    labels = [NO_LABEL if (key := label_key(value)) is None else ids.get(key, NO_LABEL) for value in raw]
    faults = [
        LabelFault(name, row, locations[row], repr(raw[row]), why_no_class(raw[row], names=classes))
        for row, label in enumerate(labels)
        if label == NO_LABEL
    ]
    pairs = None if columns.pair is None else _texts(table, columns.pair)
    return Split(name, _texts(table, columns.text), pairs, labels, locations), faults


def _texts(table: Table, column: str) -> list[str]:
    """The column as texts; a missing one is the empty text, which a check reports."""
    texts = []
    for row, value in enumerate(table.columns[column]):
        if isinstance(value, (list, dict, bytes)):
            kind = type(value).__name__
            raise DataError(
                f"{table.location(row)}, field {column!r}: a {kind}, want a text. Choose another --text-column"
            )
        texts.append("" if value is None else str(value))
    return texts


# ---- where the two sides are ----------------------------------------------------------------------------------------


def _read_sides(train: Path, validation: Path | None, *, header: bool | None) -> list[Table]:
    """One table, or two when the validation examples are given or lie in the same folder."""
    if not train.exists():
        raise DataError(f"No such file or folder: {train}. Give the training examples, e.g. --data train.csv")
    first = _read(train, TRAIN_NAMES, header=header)
    if first is None:
        raise DataError(f"{train}: no {' or '.join(TRAIN_NAMES)} split in that folder. Give the file itself")
    beside = train if train.is_dir() and not _is_saved(train) else None
    source = validation or beside
    second = _read(source, VALIDATION_NAMES, header=header) if source else None
    if validation and second is None:
        raise DataError(f"{validation}: none of the splits {', '.join(VALIDATION_NAMES)} in it. Give the file itself")
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
            return join_tables([read_table(file, header=header) for file in files])
    return None


def _is_saved(folder: Path) -> bool:
    """One split that `datasets` saved."""
    return (folder / "state.json").is_file()


def _split_files(folder: Path, name: str) -> list[Path]:
    """`train.tsv`, or the shards `data/train-00000-of-00002.parquet`."""
    candidates = [*folder.glob(f"{name}.*"), *folder.glob(f"{name}-*"), *folder.glob(f"data/{name}-*")]
    return sorted(file for file in candidates if file.suffix.lower() in SUFFIXES)
