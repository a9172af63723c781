"""Reads files of examples into a table on disk. `text_tables.py` and `arrow_tables.py` have the formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from lossboard.errors import DataError
from lossboard.train.data.arrow_tables import read_arrow, read_parquet, saved_dataset_files, saved_dataset_stream
from lossboard.train.data.cache import EntryWriter, cache_key, cached, file_digest
from lossboard.train.data.conll import SUFFIXES as CONLL_SUFFIXES
from lossboard.train.data.conll import conll_stream, is_conll
from lossboard.train.data.stored_values import ColumnWriter, StoredColumn
from lossboard.train.data.table import Chunk, RowStream, Table
from lossboard.train.data.text_tables import open_lines, open_text, read_delimited, read_json

SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".arrow", *CONLL_SUFFIXES)


def data_suffix(path: Path) -> str:
    """Returns the suffix that says the format: `.csv` for `train.csv` and `train.csv.gz`."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def read_table(path: Path, *, header: bool | None = None) -> Table:
    """Reads one file. `header` says whether a CSV or TSV file has a header; None detects it."""
    if not path.is_file():
        raise DataError(f"No such file: {path}. Use a {', '.join(SUFFIXES)} file or a dataset directory.")
    key = cache_key("rows", data_suffix(path), header, file_digest(path))
    return _stored(path, key, {path: partial(_open, path, header=header)})


def read_shards(files: Sequence[Path], *, header: bool | None = None) -> Table:
    """Reads the shards of one split. With several files, rows are numbered continuously."""
    if len(files) == 1:
        return read_table(files[0], header=header)
    key = cache_key("shards", [(data_suffix(file), file_digest(file)) for file in files], header)
    return _stored(files[0].parent, key, {file: partial(_open, file, header=header) for file in files})


def read_saved_dataset(folder: Path) -> Table:
    """Reads one split saved by `datasets`."""
    key = cache_key("saved dataset", [file_digest(file) for file in saved_dataset_files(folder)])
    return _stored(folder, key, {folder: partial(saved_dataset_stream, folder)})


def _open(path: Path, *, header: bool | None) -> RowStream:
    suffix = data_suffix(path)
    if suffix in CONLL_SUFFIXES or (suffix in (".txt", ".tsv") and _has_tags(path)):
        return conll_stream(path, open_lines(path))
    if suffix in (".csv", ".tsv", ".txt"):
        return read_delimited(path, suffix, header=header)
    if suffix in (".jsonl", ".ndjson", ".json"):
        return read_json(path, suffix)
    if suffix == ".parquet":
        return read_parquet(path)
    if suffix == ".arrow":
        return read_arrow([path])
    raise DataError(f"{path}: unknown file type {suffix or '(no suffix)'}. Supported: {', '.join(SUFFIXES)}")


def _has_tags(path: Path) -> bool:
    with open_text(path, newline="\n") as lines:
        return is_conll(lines)


# How each file of a table is opened.
_Sources = Mapping[Path, Callable[[], RowStream]]


def _stored(path: Path, key: str, sources: _Sources) -> Table:
    """Returns the rows of all sources as one table, from the cache or read now."""
    entry = cached(key, lambda writer: _store(writer, path, sources))
    facts = entry.facts
    columns = {
        name: StoredColumn(entry.bytes[str(index)], entry.arrays[f"{index}-ends"])
        for index, name in enumerate(facts["columns"])
    }
    class_names = {name: tuple(names) for name, names in facts["class_names"].items()}
    return Table(path, columns, entry.arrays["lines"], key, facts["unit"], class_names, facts["header"])


def _store(writer: EntryWriter, path: Path, sources: _Sources) -> None:
    several = len(sources) > 1
    rows = _RowWriter(writer, numbered=several)
    streams: list[RowStream] = []
    names: list[list[str]] = []
    for file, open_stream in sources.items():
        streams.append(open_stream())
        names.append(list(dict.fromkeys(name for chunk in streams[-1].chunks for name in rows.add(chunk))))
        if names[-1] != names[0]:
            raise DataError(f"{file}: columns {names[-1]}, but {next(iter(sources)).name} has {names[0]}")
    if not rows.count:
        raise DataError(f"{path}: no rows. Use a file with at least one example.")
    rows.finish()
    writer.facts = {
        "columns": list(rows.columns),
        "class_names": streams[0].class_names,
        "unit": "row" if several else streams[0].unit,
        "header": "" if several else streams[0].header,
    }


class _RowWriter:
    """Writes rows column by column. `numbered` counts them instead of taking the lines of their file."""

    def __init__(self, writer: EntryWriter, *, numbered: bool) -> None:
        self._writer, self._numbered = writer, numbered
        self.columns: dict[str, ColumnWriter] = {}
        self.count = 0

    def add(self, chunk: Chunk) -> Iterable[str]:
        """Writes some rows and returns the names of their columns."""
        for name, values in chunk.columns.items():
            if name not in self.columns:
                self.columns[name] = ColumnWriter(self._writer, str(len(self.columns)))
            # A field of JSON objects may be missing in some rows.
            self.columns[name].fill(self.count)
            self.columns[name].extend(values)
        lines = range(self.count + 1, self.count + 1 + len(chunk.lines)) if self._numbered else chunk.lines
        self._writer.append("lines", np.asarray(lines, np.int64))
        self.count += len(chunk.lines)
        return chunk.columns

    def finish(self) -> None:
        for column in self.columns.values():
            column.fill(self.count)
