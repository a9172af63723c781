"""`lossboard sql`: an SQL query over runs, hyperparameters and scalars."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from lossboard.cli.facts import open_facts
from lossboard.cli.table_output import EXACT_FORMATS, add_output_arguments, check_output, readable_lines, write_lines
from lossboard.export.atomic_write import atomic_write
from lossboard.export.run_lists import is_numeric
from lossboard.export.sql import SqlQuery


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory your training writes to")
    parser.add_argument("query", metavar="QUERY", help="one SELECT statement")
    add_output_arguments(parser)


def run(options: argparse.Namespace) -> None:
    check_output(options)
    facts = open_facts(options.logdir)[1].table()
    if options.format == "parquet":
        with atomic_write(options.output) as draft:
            SqlQuery(facts, options.query, output=draft).write_parquet()
        return
    write_lines(_lines(SqlQuery(facts, options.query), options.format), options.output)


def _lines(query: SqlQuery, form: str) -> Iterable[str]:
    if form in EXACT_FORMATS:
        return EXACT_FORMATS[form](query.columns, query.rows())
    rows = list(query.rows())
    numeric = {name for index, name in enumerate(query.columns) if is_numeric(rows, index)}
    return readable_lines(form, query.columns, rows, numeric=numeric)
