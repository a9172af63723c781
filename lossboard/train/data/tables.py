"""Tables: reads a file of examples into columns.

Supported formats:
* CSV with `,`, `;` or tab, quoted as in RFC 4180. UTF-8 with or without a byte order mark.
* TSV as literal text: quotes have no special meaning, as in the GLUE files.
* JSONL with one flat object per line.
* Parquet, through pyarrow or DuckDB.
* Directories written by `save_to_disk` of `datasets`: Arrow streams, read by nanoarrow.
Not supported: nested fields, and index files of datasets that were saved without being flattened.
"""

import csv
import importlib.util
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lossboard.errors import DataError

# A longer CSV field is an unclosed quote, not a text.
MAX_FIELD_CHARS = 1 << 24
# The fields of a header are names, and names are no longer than this.
MAX_NAME_CHARS = 64
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".arrow")


@dataclass(frozen=True)
class Table:
    """Columns of equal length, with the location of each row in its file."""

    path: Path
    columns: dict[str, list[Any]]
    lines: list[int]
    unit: str = "line"
    class_names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    def location(self, row: int) -> str:
        """Returns where a person finds the row: `reviews.csv, line 17`."""
        return f"{self.path.name}, {self.unit} {self.lines[row]}"


def read_table(path: Path, *, header: bool | None = None) -> Table:
    """Reads one file. `header` says whether a CSV or TSV file has a header; None detects it from the first row."""
    if not path.is_file():
        raise DataError(f"No such file: {path}. Use a {', '.join(SUFFIXES)} file or a dataset directory.")
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv", ".txt"):
        table = _read_delimited(path, header=header)
    elif suffix in (".jsonl", ".ndjson", ".json"):
        table = _read_jsonl(path)
    elif suffix == ".parquet":
        table = _read_parquet(path)
    elif suffix == ".arrow":
        table = _read_arrow([path])
    else:
        raise DataError(f"{path}: unknown file type {suffix or '(no suffix)'}. Supported: {', '.join(SUFFIXES)}")
    if not len(table):
        raise DataError(f"{path}: no rows. Use a file with at least one example.")
    return table


def read_saved_dataset(folder: Path) -> Table:
    """Reads one split saved by `datasets`. `state.json` lists Arrow streams, `dataset_info.json` the class names."""
    state = _json_object(folder / "state.json")
    files = [folder / str(entry["filename"]) for entry in state.get("_data_files", [])]
    if not files:
        raise DataError(f"{folder / 'state.json'}: lists no data files. Save the dataset again with save_to_disk.")
    if state.get("_indices_files"):
        raise DataError(f"{folder}: contains a selection of rows. Call flatten_indices() before save_to_disk.")
    table = _read_arrow(files)
    return Table(folder, table.columns, table.lines, "row", _class_names(folder / "dataset_info.json"))


def join_tables(tables: list[Table]) -> Table:
    """Joins the shards of one split. With several files, rows are numbered continuously."""
    first = tables[0]
    if len(tables) == 1:
        return first
    for other in tables[1:]:
        if list(other.columns) != list(first.columns):
            raise DataError(f"{other.path}: columns {[*other.columns]}, but {first.path.name} has {[*first.columns]}")
    columns = {name: [value for table in tables for value in table.columns[name]] for name in first.columns}
    return Table(first.path.parent, columns, list(range(1, sum(map(len, tables)) + 1)), "row", first.class_names)


# ---- CSV and TSV ----------------------------------------------------------------------------------------------------


def _read_delimited(path: Path, *, header: bool | None) -> Table:
    rows = _delimited_rows(path)
    first_line, first = next(rows, (0, []))
    if not first:
        raise DataError(f"{path}: empty. Use a file with a header and at least one example.")
    named = looks_like_header(first) if header is None else header
    names = [name.strip() for name in first] if named else [str(index) for index in range(len(first))]
    if len(set(names)) != len(names):
        raise DataError(f"{path}, line {first_line}: the header has a column name twice: {names}. Rename one.")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    lines: list[int] = []
    for line, row in rows if named else _chain((first_line, first), rows):
        if len(row) != len(names):
            raise DataError(
                f"{path}, line {line}: {len(row)} fields, but {len(names)} in {'the header' if named else 'line 1'}. "
                "Quote fields that contain the separator (CSV), or save as JSONL."
            )
        for name, value in zip(names, row, strict=True):
            columns[name].append(value)
        lines.append(line)
    return Table(path, columns, lines)


def _chain(first: tuple[int, list[str]], rest: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, list[str]]]:
    yield first
    yield from rest


def looks_like_header(row: list[str]) -> bool:
    """Returns whether all fields look like names: short, not empty and not numbers."""
    return all(0 < len(name.strip()) <= MAX_NAME_CHARS and not is_number(name) for name in row)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _delimited_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yields each row with its first line. Blank lines are skipped."""
    with path.open(encoding="utf-8-sig", newline="") as file, _long_fields(), _readable(path):
        separator = _separator(path, file.readline())
        file.seek(0)
        if separator == "\t" and path.suffix.lower() != ".csv":
            reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        else:
            reader = csv.reader(file, delimiter=separator, strict=True)
        start = 1
        try:
            for row in reader:
                if row:
                    yield start, row
                start = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"{path}, line {start}: {error}. Close or double the quote in that row.") from error


def _separator(path: Path, first_line: str) -> str:
    # Texts often contain commas, but rarely tabs.
    if "\t" in first_line or path.suffix.lower() == ".tsv":
        return "\t"
    return max(",;", key=first_line.count)


@contextmanager
def _long_fields() -> Iterator[None]:
    # The limit is global in the csv module, so it is restored.
    before = csv.field_size_limit(MAX_FIELD_CHARS)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        line = _first_bad_line(path)
        raise DataError(
            f"{path}, line {line}: not UTF-8 ({error.reason}). Convert the file, e.g. with iconv -f latin1 -t utf-8"
        ) from error


def _first_bad_line(path: Path) -> int:
    """Returns the first line that is not UTF-8. The decoder works on chunks, so the file is read again as bytes."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return number


# ---- JSONL ----------------------------------------------------------------------------------------------------------


def _read_jsonl(path: Path) -> Table:
    columns: dict[str, list[Any]] = {}
    lines: list[int] = []
    with path.open(encoding="utf-8-sig") as file, _readable(path):
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            record = _json_line(path, number, line)
            for name in record.keys() - columns.keys():
                columns[name] = [None] * len(lines)
            for name, values in columns.items():
                values.append(record.get(name))
            lines.append(number)
    return Table(path, columns, lines)


def _json_line(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(
            f"{path}, line {number}: not valid JSON ({error.msg} at character {error.colno}). Use one object per line."
        ) from error
    if not isinstance(record, dict):
        kind = type(record).__name__
        raise DataError(f'{path}, line {number}: expected an object like {{"text": …, "label": …}}, got a {kind}')
    return record


# ---- Parquet and Arrow ----------------------------------------------------------------------------------------------


def _read_parquet(path: Path) -> Table:
    if importlib.util.find_spec("pyarrow"):
        columns = _parquet_by_pyarrow(path)
    elif importlib.util.find_spec("duckdb"):
        columns = _parquet_by_duckdb(path)
    else:
        raise DataError(f"{path}: reading Parquet needs pyarrow or duckdb: pip install 'lossboard[sql]'")
    return _numbered(path, columns)


def _parquet_by_pyarrow(path: Path) -> dict[str, list[Any]]:
    import pyarrow
    from pyarrow import parquet

    try:
        columns: dict[str, list[Any]] = parquet.read_table(path).to_pydict()
    except pyarrow.ArrowException as error:
        raise DataError(f"{path}: not a valid Parquet file ({error}). Export it again.") from error
    return columns


def _parquet_by_duckdb(path: Path) -> dict[str, list[Any]]:
    import duckdb

    try:
        result = duckdb.execute("select * from read_parquet($1)", [str(path)])
    except duckdb.Error as error:
        raise DataError(f"{path}: not a valid Parquet file ({error}). Export it again.") from error
    names = [entry[0] for entry in result.description or ()]
    rows = result.fetchall()
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}


def _read_arrow(files: list[Path]) -> Table:
    import nanoarrow
    from nanoarrow.ipc import InputStream

    columns: dict[str, list[Any]] = {}
    for file in files:
        if not file.is_file():
            raise DataError(
                f"No such file: {file}. It is listed in the dataset's state.json. Copy the whole directory."
            )
        try:
            with InputStream.from_path(file) as source:
                stream = nanoarrow.ArrayStream(source)
                names = [entry.name for entry in stream.schema.fields]
                batches = [batch.to_columns_pysequence()[1] for batch in stream]
        except Exception as error:  # nanoarrow's own errors have no common base below Exception
            raise DataError(
                f"{file}: not a valid Arrow stream ({error}). Save the dataset again with save_to_disk."
            ) from error
        for index, name in enumerate(names):
            columns.setdefault(name, []).extend(value for batch in batches for value in batch[index])
    return _numbered(files[0], columns)


def _numbered(path: Path, columns: dict[str, list[Any]]) -> Table:
    length = len(next(iter(columns.values()), []))
    return Table(path, columns, list(range(1, length + 1)), "row")


def _class_names(info: Path) -> dict[str, tuple[str, ...]]:
    """Returns the class names of ClassLabel columns, in the order of their ids."""
    features: dict[str, Any] = _json_object(info).get("features") or {} if info.is_file() else {}
    return {
        name: tuple(map(str, feature["names"]))
        for name, feature in features.items()
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" and feature.get("names")
    }


def _json_object(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: cannot be read ({error}). Save the dataset again with save_to_disk.") from error
    if not isinstance(value, dict):
        raise DataError(
            f"{path}: expected an object, got a {type(value).__name__}. Save the dataset again with save_to_disk."
        )
    return value
