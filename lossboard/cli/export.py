"""`lossboard export`: everything that a logdir holds, as jsonl, csv, arrow or parquet."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lossboard.board import open_logdir
from lossboard.cli.progress import progress_bar, spinner
from lossboard.errors import UsageError
from lossboard.export.atomic_write import atomic_write
from lossboard.export.jsonl import JsonlExporter
from lossboard.export.text import utf8_writer
from lossboard.select.series import SeriesSelection

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir

FORMATS = ("jsonl", "csv", "arrow", "parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="the folder that training writes to")
    parser.add_argument("--format", choices=FORMATS, default="jsonl", help="jsonl has every kind, the others scalars")
    parser.add_argument("--runs", metavar="REGEX", default="", help="only runs in whose name this is found")
    parser.add_argument("--tags", metavar="REGEX", default="", help="only tags in which this is found")
    parser.add_argument("--all-attempts", action="store_true", help="also points that a restart has hidden")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="write here, whole or not at all")


def run(options: argparse.Namespace) -> None:
    selection = SeriesSelection.of(options.runs, options.tags, attempts=options.all_attempts)
    _refuse_impossible(options.format, options.output)
    with spinner("Reading the logdir"):
        logdir = open_logdir(options.logdir)
    if options.output is None:
        _write(options.format, logdir, selection, sys.stdout.buffer)
    else:
        with atomic_write(options.output) as draft:
            _write_file(options.format, logdir, selection, draft)
    if damaged := logdir.stats().skipped_records:
        print(f"lossboard: {damaged} damaged records were skipped; `lossboard inspect` says where", file=sys.stderr)


def _refuse_impossible(form: str, output: Path | None) -> None:
    if output is None and form == "parquet":
        raise UsageError("Parquet cannot be written to a pipe; give a file with -o")
    if output is None and form == "arrow" and sys.stdout.isatty():
        raise UsageError("Arrow is binary and would garble the terminal; give a file with -o")


def _write_file(form: str, logdir: Logdir, selection: SeriesSelection, path: Path) -> None:
    if form == "parquet":
        from lossboard.export.tables import scalar_table, write_parquet

        with spinner("Writing the table"):
            write_parquet(scalar_table(logdir, selection), path)
        return
    with path.open("wb") as out:
        _write(form, logdir, selection, out)


def _write(form: str, logdir: Logdir, selection: SeriesSelection, out: BinaryIO) -> None:
    if form == "jsonl":
        _write_lines(logdir, selection, out)
        return
    from lossboard.export.tables import scalar_table, write_arrow, write_csv

    with spinner("Writing the table"):
        (write_csv if form == "csv" else write_arrow)(scalar_table(logdir, selection), out)


def _write_lines(logdir: Logdir, selection: SeriesSelection, out: BinaryIO) -> None:
    lines = JsonlExporter(selection)
    with utf8_writer(out) as text:
        for one in progress_bar(selection.select_runs(logdir), "Exporting runs"):
            text.writelines(lines.of_run(one))
    if lines.skipped:
        print(f"lossboard: {lines.skipped} points could not be decoded and were left out", file=sys.stderr)
