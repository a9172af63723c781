"""CSV, TSV and JSON files, plain or compressed with gzip, in UTF-8 or UTF-16.

* CSV with `,`, `;` or tab, quoted as in RFC 4180.
* TSV as literal text, in which quotes have no special meaning, as in the GLUE files. TSV with quoted fields is
  recognized by its lines: read literally, they have different numbers of fields, or the header is quoted.
* JSONL with one object per line, or a `.json` file with an array of objects. Nested fields get names such as `a.b`.

Python's csv and json read these, because every row needs its line for our messages. DuckDB reports no lines of rows,
and its detection leaves out rows that do not fit.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lossboard.errors import DataError
from lossboard.train.data.table import Table, numbered_table

# A longer CSV field is an unclosed quote, not a text.
MAX_FIELD_CHARS = 1 << 24
# The fields of a header are names, and names are no longer than this.
MAX_NAME_CHARS = 64
# Rows that are compared with the first to tell whether it is a header.
HEADER_SAMPLE_ROWS = 1000

Row = tuple[int, list[str]]


def _read_text(path: Path) -> str:
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    except (OSError, EOFError) as error:
        raise DataError(f"{path}: cannot be read ({error}). Compress the file again, or unpack it.") from error
    try:
        return data.decode(_encoding(data))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(
            f"{path}, line {line}: not UTF-8 ({error.reason}). Convert the file, e.g. with iconv -f latin1 -t utf-8"
        ) from error


def _encoding(data: bytes) -> str:
    """Returns the encoding. Windows writes UTF-16 with a byte order mark; without one, its zero bytes tell."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if data[1:2] == b"\0":
        return "utf-16-le"
    return "utf-16-be" if data[:1] == b"\0" else "utf-8-sig"


# ---- CSV and TSV ----------------------------------------------------------------------------------------------------


def read_delimited(path: Path, suffix: str, *, header: bool | None) -> Table:
    rows = list(_delimited_rows(path, suffix))
    if not rows:
        raise DataError(f"{path}: empty. Use a file with a header and at least one example.")
    first_line, first = rows[0]
    named = looks_like_header([fields for _, fields in rows[:HEADER_SAMPLE_ROWS]]) if header is None else header
    names = [name.strip() for name in first] if named else [str(index) for index in range(len(first))]
    if len(set(names)) != len(names):
        raise DataError(f"{path}, line {first_line}: the header has a column name twice: {names}. Rename one.")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for line, row in rows[named:]:
        if len(row) != len(names):
            raise DataError(
                f"{path}, line {line}: {len(row)} fields, but {len(names)} in {'the header' if named else 'line 1'}. "
                "Quote fields that contain the separator (CSV), or save as JSONL."
            )
        for name, value in zip(names, row, strict=True):
            columns[name].append(value)
    detected = "line 1 is the header" if named else "no header"
    return Table(path, columns, [line for line, _ in rows[named:]], header=detected)


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Returns whether the first row has names: short, not empty and not numbers.

    If one of its fields occurs again in its column, such as a label, the row is an example. If all do, the file was
    joined from several with headers.
    """
    first, rest = rows[0], rows[1:]
    if not all(0 < len(name.strip()) <= MAX_NAME_CHARS and not is_number(name) for name in first):
        return False
    again = [any(name in row[index : index + 1] for row in rest) for index, name in enumerate(first)]
    return all(again) or not any(again)


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _delimited_rows(path: Path, suffix: str) -> Iterator[Row]:
    """Yields each row with its first line. Blank lines are skipped."""
    lines = list(io.StringIO(_read_text(path), newline=""))
    separator = _separator(suffix, lines[0] if lines else "")
    if separator == "\t" and suffix != ".csv" and not _is_quoted_tsv(lines):
        yield from _parse(path, lines, separator, quoting=csv.QUOTE_NONE)
    else:
        yield from _parse(path, lines, separator, quoting=csv.QUOTE_MINIMAL)


def _parse(path: Path, lines: Sequence[str], separator: str, *, quoting: Any) -> Iterator[Row]:
    start = 1
    with _long_fields():
        reader = csv.reader(lines, delimiter=separator, strict=True, quoting=quoting)
        try:
            for row in reader:
                if row:
                    yield start, row
                start = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"{path}, line {start}: {error}. Close or double the quote in that row.") from error


def _is_quoted_tsv(lines: Sequence[str]) -> bool:
    literal = {line.count("\t") for line in lines if line.strip()}
    header_is_quoted = bool(lines) and all(
        len(name) > 1 and name[0] == name[-1] == '"' for name in lines[0].strip().split("\t")
    )
    if len(literal) <= 1 and not header_is_quoted:
        return False
    try:
        return len({len(row) for _, row in _parse(Path(), lines, "\t", quoting=csv.QUOTE_MINIMAL)}) == 1
    except DataError:
        return False


def _separator(suffix: str, first_line: str) -> str:
    # Texts often contain commas, but rarely tabs.
    if "\t" in first_line or suffix == ".tsv":
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


# ---- JSON -----------------------------------------------------------------------------------------------------------


def read_json(path: Path, suffix: str) -> Table:
    text = _read_text(path)
    if suffix == ".json" and text.lstrip().startswith("["):
        return numbered_table(path, _columns(_array_records(path, text)), unit="record")
    numbered = [(number, line) for number, line in enumerate(io.StringIO(text), start=1) if line.strip()]
    records = [_line_record(path, number, line.strip()) for number, line in numbered]
    return Table(path, _columns(records), [number for number, _ in numbered])


def _array_records(path: Path, text: str) -> list[dict[str, Any]]:
    records = _parse_json(path, text, first_line=1)
    return [_checked(record, f"{path}, record {number}") for number, record in enumerate(records, start=1)]


def _line_record(path: Path, number: int, line: str) -> dict[str, Any]:
    return _checked(_parse_json(path, line, first_line=number), f"{path}, line {number}")


def _parse_json(path: Path, text: str, *, first_line: int) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise DataError(
            f"{path}, line {line}: not valid JSON ({error.msg} at character {error.colno}). "
            "Use one object per line, or an array of objects in a .json file."
        ) from error


def _checked(record: Any, location: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        kind = type(record).__name__
        raise DataError(f'{location}: expected an object like {{"text": …, "label": …}}, got a {kind}')
    return dict(_flat(record))


def _flat(record: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the fields of an object. Those of an object inside get names such as `a.b`."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _columns(records: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for record in records for name in record)
    return {name: [record.get(name) for record in records] for name in names}
