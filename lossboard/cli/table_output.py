"""Output of tables in the formats that `ls` and `sql` share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from lossboard.cli.formatting import format_table, strip_control_chars
from lossboard.errors import UsageError
from lossboard.export.atomic_write import atomic_write
from lossboard.export.run_lists import Place, Row, format_cell, to_csv, to_json, to_latex, to_markdown
from lossboard.export.text import utf8_writer

FORMATS = ("table", "csv", "json", "markdown", "latex", "parquet")
EXACT_FORMATS = {"csv": to_csv, "json": to_json}
_MARKUP_FORMATS = {"markdown": to_markdown, "latex": to_latex}


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=FORMATS, default="table", help="output format (default: table)")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="output file, written atomically")


def check_output(options: argparse.Namespace) -> None:
    if options.format == "parquet" and options.output is None:
        raise UsageError("Parquet cannot be written to a pipe. Set -o to a file.")


def readable_lines(
    form: str,
    names: Sequence[str],
    rows: Sequence[Row],
    *,
    numeric: Container[str],
    best: Container[Place] = (),
) -> Iterable[str]:
    """Returns the lines of a format for people. In a table, the columns that are `numeric` are aligned to the right;
    in Markdown and LaTeX, the cells at the places `best` are bold."""
    if form in _MARKUP_FORMATS:
        return _MARKUP_FORMATS[form](names, rows, best)
    cells = ([strip_control_chars(format_cell(cell)) for cell in row] for row in rows)
    headers = [strip_control_chars(name) for name in names]
    return (f"{line}\n" for line in format_table(headers, cells, right_aligned=numeric))


def write_lines(lines: Iterable[str], output: Path | None) -> None:
    """Writes lines to a file, atomically, or to stdout."""
    if output is None:
        with utf8_writer(sys.stdout.buffer) as out:
            out.writelines(lines)
        return
    with atomic_write(output) as draft, draft.open("wb") as file, utf8_writer(file) as out:
        out.writelines(lines)
