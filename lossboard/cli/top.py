"""`lossboard top`: a table of runs with sparklines in the terminal that follows the logdir, for people on SSH."""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lossboard.cli.facts import explain_errors, open_facts
from lossboard.cli.formatting import pluralize, strip_control_chars, truncate
from lossboard.cli.table_output import write_lines
from lossboard.cli.terminal import Terminal, is_interactive
from lossboard.cli.top_table import fit_columns, text_columns, top_fields
from lossboard.errors import UsageError
from lossboard.select.query.run_query import run_query
from lossboard.select.select_fields import select_fields, sort_rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lossboard.select.facts.fields import Field
    from lossboard.select.facts.table import Facts, FactTable
    from lossboard.store.logdir import Logdir

_NEWEST_FIRST = "start desc"
_STATES_SECS = 5.0
"""Runs become stalled or finished without a change of the logdir, so the table is made again after this time."""
_MAX_LOAD = 0.05
"""Fraction of the time that may be spent on reading and drawing. A huge logdir is read less often instead."""
_BOLD, _DIM = "\x1b[1m", "\x1b[2m"
_HELP = "q quit  s sort  r reverse  / filter  ↑↓ scroll"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory your training writes to")
    parser.add_argument("query", metavar="QUERY", nargs="?", default="", help="only runs for which this is true")
    parser.add_argument("--columns", metavar="FACTS", default="", help="columns, such as 'run, lr, last(loss)'")
    parser.add_argument("--sort", metavar="FACTS", default=_NEWEST_FIRST, help="order, such as 'last(loss), lr desc'")
    parser.add_argument(
        "--interval", metavar="SECS", type=float, default=1.0, help="seconds between scans (default: 1)"
    )


def run(options: argparse.Namespace) -> None:
    logdir, facts = open_facts(options.logdir)
    view = View(query=options.query, columns=options.columns, order=options.sort)
    found = select_runs(facts.table(), view)  # reports errors in the options before the screen is taken
    if not is_interactive():
        columns = text_columns(found.facts, found.rows.tolist(), found.fields, ascii_only=_ascii_only())
        write_lines((f"{line}\n" for line in fit_columns(columns, sys.maxsize)), None)
        return
    with Terminal() as terminal:
        _follow(terminal, logdir, facts, view, interval_secs=options.interval)


@dataclass(frozen=True)
class View:
    """Settings of the screen, which keys change."""

    query: str
    columns: str
    order: str
    first: int = 0
    """The run in the first line."""
    typed: str | None = None
    """The filter while it is typed."""
    message: str = ""


@dataclass(frozen=True)
class Found:
    """Runs and columns to show."""

    facts: FactTable
    rows: NDArray[np.int64]
    fields: dict[str, Field]


def select_runs(facts: FactTable, view: View) -> Found:
    """Returns the runs that the query selects, in order. Raises UsageError if an option is not valid."""
    rows = explain_errors(view.query, lambda query: run_query(facts, query).rows)
    rows = explain_errors(view.order, lambda order: sort_rows(facts, rows, order))
    if not view.columns:
        return Found(facts, rows, top_fields(facts, rows))
    fields = explain_errors(view.columns, lambda names: select_fields(facts, names))
    return Found(facts, rows, fields)


def _follow(terminal: Terminal, logdir: Logdir, facts: Facts, view: View, *, interval_secs: float) -> None:
    found, shown, made_at = select_runs(facts.table(), view), view, time.monotonic()
    while True:
        begin = time.monotonic()
        is_changed = bool(logdir.poll()) or _selection(view) != _selection(shown)
        if is_changed or begin - made_at > _STATES_SECS:
            try:
                found = select_runs(facts.table(), view)
            except UsageError as error:  # for example, a new run gives a name in the query a second meaning
                view = replace(view, message=str(error).splitlines()[0])
            shown, made_at = view, begin
        columns, lines = terminal.size()
        view = _scroll(view, 0, found, lines)
        terminal.draw(screen(found, view, columns, lines, ascii_only=_ascii_only()))
        busy_secs = time.monotonic() - begin
        for key in terminal.wait(max(interval_secs, busy_secs / _MAX_LOAD)):
            if key == "q" and view.typed is None:
                return
            view = press(view, key, found, lines=lines)


def _selection(view: View) -> tuple[str, ...]:
    return view.query, view.columns, view.order


def screen(found: Found, view: View, columns: int, lines: int, *, ascii_only: bool) -> list[str]:
    """Returns the lines of the screen: a summary, the table, and the keys or the filter."""
    rows = found.rows[view.first : view.first + _page(lines)].tolist()
    head, *body = fit_columns(text_columns(found.facts, rows, found.fields, ascii_only=ascii_only), columns)
    summary = f"{len(found.rows):,} of {pluralize(len(found.facts), 'run')} by {view.order}"
    summary += f" where {view.query}" if view.query else ""
    bottom = view.message or (_HELP if view.typed is None else f"filter: {view.typed}_")
    shown = [truncate(strip_control_chars(summary), columns), f"{_BOLD}{head}", *body]
    shown += [""] * (lines - 1 - len(shown))
    return [*shown[: lines - 1], f"{_DIM}{truncate(strip_control_chars(bottom), columns)}"]


def _page(lines: int) -> int:
    """Returns how many runs fit between the summary with the titles and the last line."""
    return max(lines - 3, 1)


def press(view: View, key: str, found: Found, *, lines: int) -> View:
    """Returns the settings after a key."""
    view = replace(view, message="")
    if view.typed is not None:
        return _edit(view, key, found)
    page, all_runs = _page(lines), len(found.rows)
    moves = {"up": -1, "k": -1, "down": 1, "j": 1, "page up": -page, "page down": page, " ": page}
    moves |= {"home": -all_runs, "g": -all_runs, "end": all_runs, "G": all_runs}
    if key in moves:
        return _scroll(view, moves[key], found, lines)
    match key:
        case "/":
            return replace(view, typed=view.query)
        case "s":
            return replace(view, order=_next_order(view.order, list(found.fields.values())), first=0)
        case "r":
            return replace(view, order=_reverse(view.order), first=0)
    return view


def _scroll(view: View, by: int, found: Found, lines: int) -> View:
    last_first = max(len(found.rows) - _page(lines), 0)
    return replace(view, first=min(max(view.first + by, 0), last_first))


def _next_order(order: str, fields: list[Field]) -> str:
    """Returns the order by the column after the one that the runs are ordered by."""
    names = [str(field) for field in fields]
    now = order.removesuffix(" desc")
    return names[(names.index(now) + 1) % len(names)] if now in names else names[0]


def _reverse(order: str) -> str:
    """Returns the order with the direction of its last fact changed."""
    return order.removesuffix(" desc") if order.endswith(" desc") else f"{order} desc"


def _edit(view: View, key: str, found: Found) -> View:
    """Returns the settings after a key while the filter is typed. A filter with an error stays open."""
    typed = view.typed or ""
    match key:
        case "escape":
            return replace(view, typed=None)
        case "backspace":
            return replace(view, typed=typed[:-1])
        case "\x15":  # Ctrl-U
            return replace(view, typed="")
        case "enter":
            try:
                run_query(found.facts, typed)
            except UsageError as error:
                return replace(view, message=f"{error}  ({typed})")
            return replace(view, query=typed, typed=None, first=0)
    return replace(view, typed=typed + key) if len(key) == 1 and key.isprintable() else view


def _ascii_only() -> bool:
    return "utf" not in (sys.stdout.encoding or "").lower() or os.environ.get("TERM") == "linux"
