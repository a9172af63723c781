"""CSV, TSV and JSON files, plain or compressed with gzip, in UTF-8 or UTF-16.

* CSV with `,`, `;` or tab, quoted as in RFC 4180.
* TSV as literal text, in which quotes have no special meaning, as in the GLUE files. TSV with quoted fields is
  recognized by its lines: read literally, they have different numbers of fields, or the header is quoted.
* JSONL with one object per line, or a `.json` file with an array of objects. Nested fields get names such as `a.b`.

Python's csv and json read these, in chunks. ARCHITECTURE.md says why no other library does.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, TextIO

from lossboard.errors import DataError
from lossboard.train.data.column_names import KNOWN
from lossboard.train.data.squad import is_squad, squad_stream
from lossboard.train.data.table import CHUNK_ROWS, Chunk, RowStream

# A longer CSV field is an unclosed quote, not a text.
MAX_FIELD_CHARS = 1 << 24
# The fields of a header are names, and names are no longer than this.
MAX_NAME_CHARS = 64
# Fields with fewer words on average are no texts.
MIN_TEXT_WORDS = 2.0
# Rows that are compared with the first to tell whether it is a header.
HEADER_SAMPLE_ROWS = 1000

Row = tuple[int, list[str]]


@contextmanager
def open_text(path: Path, *, newline: str) -> Iterator[TextIO]:
    """Opens a file that may be compressed or in UTF-16. Errors while it is read become a DataError."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as data:
            encoding = _encoding(data.read(4))
            data.seek(0)
            with io.TextIOWrapper(data, encoding=encoding, newline=newline) as text:
                yield text
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: cannot be read ({error}). Compress the file again, or unpack it.") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}, line {_undecodable_line(path, encoding)}: not UTF-8 ({error.reason}). "
            "Convert the file, e.g. with iconv -f latin1 -t utf-8"
        ) from error


def open_lines(path: Path) -> Iterator[str]:
    """Yields the lines of a file."""
    with open_text(path, newline="\n") as lines:
        yield from lines


def _undecodable_line(path: Path, encoding: str) -> int:
    data = gzip.decompress(path.read_bytes()) if path.suffix.lower() == ".gz" else path.read_bytes()
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return data.count(b"\n", 0, error.start) + 1
    raise AssertionError(f"{path} changed while it was read")


def _encoding(start: bytes) -> str:
    """Returns the encoding. Windows writes UTF-16 with a byte order mark; without one, its zero bytes tell."""
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if start[1:2] == b"\0":
        return "utf-16-le"
    return "utf-16-be" if start[:1] == b"\0" else "utf-8-sig"


# ---- CSV and TSV ----------------------------------------------------------------------------------------------------


def read_delimited(path: Path, suffix: str, *, header: bool | None) -> RowStream:
    rows = _lines(path) if suffix == ".txt" and _is_plain(path) else _delimited_rows(path, suffix)
    sample = list(islice(rows, HEADER_SAMPLE_ROWS))
    if not sample:
        raise DataError(f"{path}: empty. Use a file with a header and at least one example.")
    first_line, first = sample[0]
    named = looks_like_header([fields for _, fields in sample]) if header is None else header
    names = [name.strip() for name in first] if named else [str(index) for index in range(len(first))]
    if len(set(names)) != len(names):
        raise DataError(f"{path}, line {first_line}: the header has a column name twice: {names}. Rename one.")
    chunks = _delimited_chunks(path, names, named, chain(sample[named:], rows))
    return RowStream(chunks, header="line 1 is the header" if named else "no header")


def _lines(path: Path) -> Iterator[Row]:
    with open_text(path, newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield number, [line.strip()]


def _is_plain(path: Path) -> bool:
    """Returns whether each line of a text file is one text. Its commas and semicolons then separate no columns."""
    with open_text(path, newline="") as lines:
        separator = _separator(".txt", next(lines, ""))
    if separator == "\t":
        return False
    rows = _parse(path, separator, quoting=csv.QUOTE_MINIMAL)
    try:
        sample = [fields for _, fields in islice(rows, HEADER_SAMPLE_ROWS)]
    except DataError:
        return True
    if sample and len(sample[0]) > 1 and _has_known_name(sample[0]):
        return False
    return len({len(fields) for fields in sample}) > 1 or not any(map(_repeats, zip(*sample, strict=True)))


def _repeats(column: Sequence[str]) -> bool:
    """Returns whether a column has few different values, as labels have."""
    return len(column) > 1 and 2 * len(set(column)) <= len(column)


def _delimited_chunks(path: Path, names: Sequence[str], named: bool, rows: Iterator[Row]) -> Iterator[Chunk]:
    while chunk := list(islice(rows, CHUNK_ROWS)):
        for line, row in chunk:
            if len(row) != len(names):
                raise DataError(
                    f"{path}, line {line}: {len(row)} fields, but {len(names)} in "
                    f"{'the header' if named else 'line 1'}. "
                    "Quote fields that contain the separator (CSV), or save as JSONL."
                )
        columns = zip(*(row for _, row in chunk), strict=True)
        yield Chunk(dict(zip(names, columns, strict=True)), [line for line, _ in chunk])


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Returns whether the first row has names: short, not empty and not numbers.

    If one of its fields occurs again in its column, such as a label, the row is an example. If all do, the file was
    joined from several with headers. Without a common name, a row that reads like the texts below it is one of them.
    """
    first, rest = rows[0], rows[1:]
    if not _has_known_name(first) and _reads_like_texts(rows):
        return False
    if not all(0 < len(name.strip()) <= MAX_NAME_CHARS and not is_number(name) for name in first):
        return False
    again = [any(name in row[index : index + 1] for row in rest) for index, name in enumerate(first)]
    return all(again) or not any(again)


def _has_known_name(row: Sequence[str]) -> bool:
    return any(name.strip().strip('"').lower() in KNOWN for name in row)


def _reads_like_texts(rows: Sequence[Sequence[str]]) -> bool:
    """Returns whether the first row cannot be told from texts: all there is in a line, or words as in the others."""
    first, rest = rows[0], rows[1:]
    if len(first) == 1:
        return True
    for index, field in enumerate(first):
        below = [len(row[index].split()) for row in rest if index < len(row)]
        mean = sum(below) / len(below) if below else 0.0
        if mean >= MIN_TEXT_WORDS and len(field.split()) >= max(2.0, mean / 2):
            return True
    return False


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _delimited_rows(path: Path, suffix: str) -> Iterator[Row]:
    """Yields each row with its first line. Blank lines are skipped."""
    with open_text(path, newline="") as lines:
        separator = _separator(suffix, next(lines, ""))
    literal = separator == "\t" and suffix != ".csv" and not _is_quoted_tsv(path)
    yield from _parse(path, separator, quoting=csv.QUOTE_NONE if literal else csv.QUOTE_MINIMAL)


def _parse(path: Path, separator: str, *, quoting: Any) -> Iterator[Row]:
    start = 1
    with open_text(path, newline="") as lines, _long_fields():
        reader = csv.reader(lines, delimiter=separator, strict=True, quoting=quoting)
        try:
            for row in reader:
                if row:
                    yield start, row
                start = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"{path}, line {start}: {error}. Close or double the quote in that row.") from error


def _is_quoted_tsv(path: Path) -> bool:
    with open_text(path, newline="") as lines:
        names = next(lines, "")
        fields = {names.count("\t")} | {line.count("\t") for line in lines if line.strip()}
    header_is_quoted = all(len(name) > 1 and name[0] == name[-1] == '"' for name in names.strip().split("\t"))
    if len(fields) <= 1 and not header_is_quoted:
        return False
    try:
        return len({len(row) for _, row in _parse(path, "\t", quoting=csv.QUOTE_MINIMAL)}) == 1
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


def read_json(path: Path, suffix: str) -> RowStream:
    with open_text(path, newline="\n") as text:
        start = next((line for line in text if line.strip()), "").lstrip() if suffix == ".json" else ""
    if start.startswith("["):
        return RowStream(_record_chunks(_array_records(path)), unit="record")
    # One object over several lines, or with all articles in its only line.
    if start.startswith("{") and (not start.rstrip().endswith("}") or '"paragraphs"' in start):
        with open_text(path, newline="\n") as text:
            content = _parse_json(path, text.read(), first_line=1)
        if is_squad(content):
            return squad_stream(path, content)
        raise DataError(
            f"{path}: one JSON object, but not as in SQuAD. Use one object per line, or an array of objects."
        )
    return RowStream(_record_chunks(_line_records(path)))


Record = tuple[int, dict[str, Any]]


def _record_chunks(records: Iterator[Record]) -> Iterator[Chunk]:
    while chunk := list(islice(records, CHUNK_ROWS)):
        names = dict.fromkeys(name for _, record in chunk for name in record)
        columns = {name: [record.get(name) for _, record in chunk] for name in names}
        yield Chunk(columns, [number for number, _ in chunk])


def _line_records(path: Path) -> Iterator[Record]:
    with open_text(path, newline="\n") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                record = _parse_json(path, line.strip(), first_line=number)
                yield number, _checked(record, f"{path}, line {number}")


def _array_records(path: Path) -> Iterator[Record]:
    with open_text(path, newline="\n") as text:
        records = _parse_json(path, text.read(), first_line=1)
    for number, record in enumerate(records, start=1):
        yield number, _checked(record, f"{path}, record {number}")


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
