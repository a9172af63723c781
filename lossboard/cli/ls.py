"""`lossboard ls`: a table of runs with the facts that a query can use."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from lossboard.board import open_logdir
from lossboard.cli.formatting import format_bytes, format_time
from lossboard.cli.progress import spinner
from lossboard.cli.table_output import EXACT_FORMATS, add_output_arguments, check_output, readable_lines, write_lines
from lossboard.errors import UsageError
from lossboard.export.atomic_write import atomic_write
from lossboard.export.run_lists import Cell, format_cell, is_numeric
from lossboard.export.run_table import default_fields, group_table, run_table
from lossboard.select.facts.table import Facts
from lossboard.select.query.errors import QueryError
from lossboard.select.query.run_query import run_query
from lossboard.select.select_fields import select_fields, sort_rows
from lossboard.store.annotations import Annotations
from lossboard.store.series_index import SeriesIndex

if TYPE_CHECKING:
    from lossboard.export.facts_table import FactsTable
    from lossboard.select.facts.columns import ColumnType
    from lossboard.select.facts.table import FactTable

T = TypeVar("T")

_MOST_SHOWN = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory your training writes to")
    parser.add_argument("query", metavar="QUERY", nargs="?", default="", help="only runs for which this is true")
    parser.add_argument("--columns", metavar="FACTS", default="", help="columns, such as 'run, lr, last(loss)'")
    parser.add_argument("--sort", metavar="FACTS", default="", help="order, such as 'last(loss), lr desc'")
    parser.add_argument("--group", metavar="FACTS", default="", help="one row per group of runs with equal FACTS")
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> None:
    check_output(options)
    with spinner("Reading the logdir"):
        logdir = open_logdir(options.logdir)
        facts = Facts(logdir, SeriesIndex(), Annotations(logdir)).table()
    selected = _select(facts, options)
    if options.format == "parquet":
        from lossboard.export.tables import write_parquet

        with atomic_write(options.output) as draft:
            write_parquet(selected, draft)
        return
    write_lines(_lines(selected, options.format), options.output)


def _select(facts: FactTable, options: argparse.Namespace) -> FactsTable:
    """Returns the rows and columns that the options ask for."""
    rows = _explain(options.query, lambda query: run_query(facts, query).rows)
    if options.sort:
        rows = _explain(options.sort, lambda order: sort_rows(facts, rows, order))
    if options.columns:
        fields = _explain(options.columns, lambda names: select_fields(facts, names))
    else:
        fields = default_fields(facts, rows, limit=_MOST_SHOWN if options.format == "table" else None)
    if not options.group:
        return run_table(facts, rows, fields)
    by = _explain(options.group, lambda names: select_fields(facts, names))
    return group_table(facts, rows, by, fields)


def _explain(text: str, work: Callable[[str], T]) -> T:
    """Runs `work` on a text of the query language. An error shows the place in the text."""
    try:
        return work(text)
    except QueryError as error:
        raise UsageError(error.explain(text)) from None


def _lines(table: FactsTable, form: str) -> Iterable[str]:
    if form in EXACT_FORMATS:
        return EXACT_FORMATS[form](table.columns, table.rows())
    names, rows = _readable(table)
    at = {name: index for index, name in enumerate(table.columns)}
    return readable_lines(form, names, rows, numeric={name for name in names if is_numeric(table.rows(), at[name])})


def _readable(table: FactsTable) -> tuple[list[str], list[list[Cell]]]:
    """Returns the table as people read it: times and sizes in words, a mean with its deviation in one cell."""
    names = [name for name in table.columns if f"{name.removesuffix(' std')} std" != name]
    at = {name: index for index, name in enumerate(table.columns)}
    types = table.types

    def cell(row: Sequence[Cell], name: str) -> Cell:
        value, std = row[at[name]], row[at[f"{name} std"]] if f"{name} std" in at else None
        shown = _describe(value, types[name])
        return shown if std is None else f"{format_cell(shown)} ± {format_cell(_describe(std, types[name]))}"

    return names, [[cell(row, name) for name in names] for row in table.rows()]


def _describe(value: Cell, type: ColumnType) -> Cell:
    if not isinstance(value, float) or type not in ("time", "duration", "size"):
        return value
    if type == "size":
        return format_bytes(round(value))
    return format_time(value) if type == "time" else _format_duration(value)


def _format_duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f}s"
    minutes, hours = round(seconds / 60), seconds / 3600
    return f"{minutes}m" if minutes < 60 else f"{int(hours)}h {round(hours % 1 * 60):02d}m"
