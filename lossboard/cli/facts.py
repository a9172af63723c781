"""Facts about runs for the commands that query them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lossboard.board import open_logdir
from lossboard.cli.progress import spinner
from lossboard.errors import UsageError
from lossboard.select.facts.table import Facts
from lossboard.store.annotations import Annotations
from lossboard.store.logdir import Logdir
from lossboard.store.series_index import SeriesIndex
from lossboard.syntax.errors import QueryError

T = TypeVar("T")


def open_facts(path: str) -> tuple[Logdir, Facts]:
    """Reads a logdir and the facts about its runs."""
    with spinner("Reading the logdir"):
        logdir = open_logdir(path)
        facts = Facts(logdir, SeriesIndex(), Annotations(logdir))
        facts.table()
    return logdir, facts


def explain_errors(text: str, work: Callable[[str], T]) -> T:
    """Runs `work` on a text of the query language. An error shows the place in the text."""
    try:
        return work(text)
    except QueryError as error:
        raise UsageError(error.explain(text)) from None
