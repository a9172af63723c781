"""`lossboard export`: exports a logdir as JSONL, CSV, Arrow or Parquet."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from lossboard.board import open_logdir
from lossboard.cli.formatting import pluralize
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
    parser.add_argument("logdir", metavar="LOGDIR", help="directory your training writes to, or an event file")
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="jsonl",
        help="jsonl (all kinds), or csv, arrow or parquet (scalars only); default: jsonl",
    )
    parser.add_argument("--runs", metavar="REGEX", default="", help="only runs whose name matches REGEX")
    parser.add_argument("--tags", metavar="REGEX", default="", help="only tags that match REGEX")
    parser.add_argument("--all-attempts", action="store_true", help="include points superseded by a restart")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, help="output file, written atomically")


def run(options: argparse.Namespace) -> None:
    selection = SeriesSelection.of(options.runs, options.tags, attempts=options.all_attempts)
    _check_output(options.format, options.output)
    with spinner("Reading the logdir"):
        logdir = open_logdir(options.logdir)
    if options.output is None:
        _write(options.format, logdir, selection, sys.stdout.buffer)
    else:
        with atomic_write(options.output) as draft:
            _write_file(options.format, logdir, selection, draft)
    if corrupt := logdir.stats().skipped_records:
        skipped = pluralize(corrupt, "corrupt record")
        print(f"lossboard: skipped {skipped}. lossboard inspect {options.logdir} lists them.", file=sys.stderr)


def _check_output(format: str, output: Path | None) -> None:
    if output is None and format == "parquet":
        raise UsageError("Parquet cannot be written to stdout. Set -o to a file.")
    if output is None and format == "arrow" and sys.stdout.isatty():
        raise UsageError("Arrow is a binary format and cannot be printed in a terminal. Set -o to a file.")


def _write_file(format: str, logdir: Logdir, selection: SeriesSelection, path: Path) -> None:
    if format == "parquet":
        from lossboard.export.tables import scalar_table, write_parquet

        with spinner("Writing the table"):
            write_parquet(scalar_table(logdir, selection), path)
        return
    with path.open("wb") as out:
        _write(format, logdir, selection, out)


def _write(format: str, logdir: Logdir, selection: SeriesSelection, out: BinaryIO) -> None:
    if format == "jsonl":
        _write_jsonl(logdir, selection, out)
        return
    from lossboard.export.tables import scalar_table, write_arrow, write_csv

    with spinner("Writing the table"):
        (write_csv if format == "csv" else write_arrow)(scalar_table(logdir, selection), out)


def _write_jsonl(logdir: Logdir, selection: SeriesSelection, out: BinaryIO) -> None:
    exporter = JsonlExporter(selection)
    with utf8_writer(out) as text:
        for run in progress_bar(selection.select_runs(logdir), "Exporting runs"):
            text.writelines(exporter.of_run(run))
    if exporter.skipped:
        print(f"lossboard: omitted {pluralize(exporter.skipped, 'point')} that cannot be decoded", file=sys.stderr)
