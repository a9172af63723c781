"""`lossboard ls`: a table of runs with the facts that a query can use."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from lossboard.cli.facts import explain_errors, open_facts
from lossboard.cli.table_output import EXACT_FORMATS, add_output_arguments, check_output, readable_lines, write_lines
from lossboard.export.atomic_write import atomic_write
from lossboard.export.readable_rows import readable_rows
from lossboard.export.run_lists import is_numeric
from lossboard.export.run_table import best_places, default_fields, group_table, run_table
from lossboard.select.facts.direction import direction_of
from lossboard.select.query.run_query import run_query
from lossboard.select.select_fields import select_directions, select_fields, select_groups, sort_rows

if TYPE_CHECKING:
    from lossboard.export.facts_table import FactsTable
    from lossboard.select.facts.direction import Direction
    from lossboard.select.facts.fields import Field
    from lossboard.select.facts.table import FactTable

_MOST_SHOWN = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory your training writes to")
    parser.add_argument("query", metavar="QUERY", nargs="?", default="", help="only runs for which this is true")
    parser.add_argument("--columns", metavar="FACTS", default="", help="columns, such as 'run, lr, last(loss)'")
    parser.add_argument("--sort", metavar="FACTS", default="", help="order, such as 'last(loss), lr desc'")
    parser.add_argument("--group", metavar="FACTS", default="", help="one row per group of runs with equal FACTS")
    parser.add_argument(
        "--best",
        metavar="FACTS",
        help="columns with the best value in bold, such as 'loss, acc desc' (default: guessed)",
    )
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> None:
    check_output(options)
    facts = open_facts(options.logdir)[1].table()
    selected, fields = _select(facts, options)
    if options.format == "parquet":
        from lossboard.export.tables import write_parquet

        with atomic_write(options.output) as draft:
            write_parquet(selected, draft)
        return
    best = best_places(selected, _directions(facts, fields, options.best))
    write_lines(_lines(selected, options.format, best), options.output)


def _select(facts: FactTable, options: argparse.Namespace) -> tuple[FactsTable, dict[str, Field]]:
    """Returns the rows and columns that the options ask for, and the facts that the columns show."""
    rows = explain_errors(options.query, lambda query: run_query(facts, query).rows)
    if options.sort:
        rows = explain_errors(options.sort, lambda order: sort_rows(facts, rows, order))
    if options.columns:
        fields = explain_errors(options.columns, lambda names: select_fields(facts, names))
    else:
        fields = default_fields(facts, rows, limit=_MOST_SHOWN if options.format == "table" else None)
    if not options.group:
        return run_table(facts, rows, fields), fields
    by = explain_errors(options.group, lambda names: select_groups(facts, names))
    return group_table(facts, rows, by, fields), fields


def _directions(facts: FactTable, fields: dict[str, Field], best: str | None) -> dict[str, Direction]:
    """Returns the columns that have a best value, and whether it is the smallest or the largest."""
    if best is None:
        return {name: direction for name, field in fields.items() if (direction := direction_of(field))}
    if not best:
        return {}
    wanted = explain_errors(best, lambda text: select_directions(facts, text))
    return {name: wanted[field] for name, field in fields.items() if field in wanted}


def _lines(table: FactsTable, form: str, best: Collection[tuple[int, str]]) -> Iterable[str]:
    if form in EXACT_FORMATS:
        return EXACT_FORMATS[form](table.columns, table.rows())
    names, rows = readable_rows(table)
    at = {name: index for index, name in enumerate(table.columns)}
    numeric = {name for name in names if is_numeric(table.rows(), at[name])}
    places = {(row, names.index(name)) for row, name in best}
    return readable_lines(form, names, rows, numeric=numeric, best=places)
