"""Reads a file of examples into a table. `text_tables.py` and `arrow_tables.py` have the formats."""

from __future__ import annotations

from pathlib import Path

from lossboard.errors import DataError
from lossboard.train.data.arrow_tables import read_arrow, read_parquet
from lossboard.train.data.table import Table
from lossboard.train.data.text_tables import read_delimited, read_json

SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".arrow")


def data_suffix(path: Path) -> str:
    """Returns the suffix that says the format: `.csv` for `train.csv` and `train.csv.gz`."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()


def read_table(path: Path, *, header: bool | None = None) -> Table:
    """Reads one file. `header` says whether a CSV or TSV file has a header; None detects it."""
    if not path.is_file():
        raise DataError(f"No such file: {path}. Use a {', '.join(SUFFIXES)} file or a dataset directory.")
    suffix = data_suffix(path)
    if suffix in (".csv", ".tsv", ".txt"):
        table = read_delimited(path, suffix, header=header)
    elif suffix in (".jsonl", ".ndjson", ".json"):
        table = read_json(path, suffix)
    elif suffix == ".parquet":
        table = read_parquet(path)
    elif suffix == ".arrow":
        table = read_arrow([path])
    else:
        raise DataError(f"{path}: unknown file type {suffix or '(no suffix)'}. Supported: {', '.join(SUFFIXES)}")
    if not len(table):
        raise DataError(f"{path}: no rows. Use a file with at least one example.")
    return table
