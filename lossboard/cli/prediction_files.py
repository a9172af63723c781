"""Files of predictions: CSV, JSONL or Parquet, by the end of their name. Rows are written as they come."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError
from lossboard.export.atomic_write import atomic_write
from lossboard.export.text import utf8_writer

if TYPE_CHECKING:
    from lossboard.train.data.table import Table

SUFFIXES = (".csv", ".jsonl", ".parquet")

Row = dict[str, Any]


def write_predictions(rows: Iterable[Row], table: Table, output: Path | None) -> None:
    """Writes rows to a file, which appears when it is complete, or as JSONL to stdout."""
    if output is None:
        with utf8_writer(sys.stdout.buffer) as out:
            out.writelines(_json_lines(rows))
        return
    with atomic_write(output) as draft:
        if output.suffix == ".parquet":
            _write_parquet(rows, table, draft)
            return
        with draft.open("wb") as file, utf8_writer(file) as out:
            if output.suffix == ".csv":
                _write_csv(rows, out)
            else:
                out.writelines(_json_lines(rows))


def _json_lines(rows: Iterable[Row]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _write_csv(rows: Iterable[Row], out: Any) -> None:
    flat = map(_flat, rows)
    first = next(flat)
    writer = csv.DictWriter(out, list(first), lineterminator="\n")
    writer.writeheader()
    writer.writerows(chain([first], flat))


def _flat(row: Mapping[str, Any]) -> Row:
    """Returns a row without nested values: a dict becomes a column for each of its keys, a list becomes JSON."""
    flat: Row = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{key}": each for key, each in _flat(value).items()}
        else:
            flat[name] = json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
    return flat


def _write_parquet(rows: Iterable[Row], table: Table, draft: Path) -> None:
    """Writes Parquet with DuckDB, from a JSONL file beside it, so that rows are never in memory as a whole."""
    try:
        import duckdb
    except ImportError:
        raise UsageError("Parquet needs DuckDB. Install it with: pip install 'lossboard[sql]'") from None
    lines = draft.with_name(f"{draft.name}.jsonl")
    try:
        flat = map(_flat, rows)
        first = next(flat)
        with lines.open("wb") as file, utf8_writer(file) as out:
            out.writelines(_json_lines(chain([first], flat)))
        types = {name: _column_type(name, value, table) for name, value in first.items()}
        with duckdb.connect() as connection:
            source, target = (str(path).replace("'", "''") for path in (lines, draft))
            columns = ", ".join(f"{_quoted(name)}: '{kind}'" for name, kind in types.items())
            read = f"read_json('{source}', format='newline_delimited', columns={{{columns}}})"
            connection.execute(f"COPY (SELECT * FROM {read}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)")
    finally:
        lines.unlink(missing_ok=True)


def _column_type(name: str, value: Any, table: Table) -> str:
    """Returns the type of a column: that of all values of the input, or of the first prediction."""
    kinds = {type(each) for each in table.columns[name]} - {type(None)} if name in table.columns else {type(value)}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    return "DOUBLE" if kinds and kinds <= {int, float} else "VARCHAR"


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
