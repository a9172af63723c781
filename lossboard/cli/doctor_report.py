"""The report of the doctor as text: findings by run, each with a chart of the evidence, the reason and what to try."""

from __future__ import annotations

import itertools
import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from lossboard.cli.check_data import COLORS
from lossboard.cli.formatting import format_steps, pluralize, strip_control_chars
from lossboard.cli.text_chart import text_chart
from lossboard.doctor.diagnose import unjudged

if TYPE_CHECKING:
    from lossboard.doctor.engine import Checked, Diagnosis
    from lossboard.store.logdir import Logdir

_MAX_WIDTH = 100
_CHART_WIDTH = 56
_MAX_CHARTS = 2


def print_report(found: list[Diagnosis], checked: list[Checked], logdir: Logdir, *, dismissed: int) -> None:
    console = Console(width=_width(), highlight=False, markup=False, soft_wrap=True)
    for runs, of_run in itertools.groupby(found, key=lambda one: one.finding.location.runs):
        console.print(Text(strip_control_chars(", ".join(runs)), style="bold"))
        for one in of_run:
            _print_finding(console, one, logdir)
    for line in _summary(found, checked, dismissed):
        console.print(line)


def print_finding(one: Diagnosis, logdir: Logdir, *, with_run: bool = False) -> None:
    console = Console(width=_width(), highlight=False, markup=False, soft_wrap=True)
    if with_run:
        console.print(Text(strip_control_chars(", ".join(one.finding.location.runs)), style="bold"))
    _print_finding(console, one, logdir)


def _print_finding(console: Console, one: Diagnosis, logdir: Logdir) -> None:
    finding, where = one.finding, one.finding.location
    steps = format_steps(where.first_step, where.last_step)
    place = "  ".join(part for part in (strip_control_chars(where.tag), f"step {steps}" if steps else "") if part)
    console.print(
        Text.assemble("  ", (finding.severity, COLORS[finding.severity]), f" {finding.code}  ", (place, "dim"))
    )
    _print_wrapped(console, "    ", strip_control_chars(finding.message))
    for line in _charts(one, logdir):
        console.print(f"    {line}")
    if finding.why:
        _print_wrapped(console, "    Why  ", finding.why, style="dim")
    if finding.advice:
        _print_wrapped(console, "    Try  ", finding.advice)
    console.print()


def _print_wrapped(console: Console, indent: str, text: str, *, style: str = "") -> None:
    rest = " " * len(indent)
    for line in textwrap.wrap(text, _width(), initial_indent=indent, subsequent_indent=rest):
        console.print(Text(line, style=style))


def _charts(one: Diagnosis, logdir: Logdir) -> Iterator[str]:
    where = one.finding.location
    if not _can_print_braille():
        return
    mark = None if where.first_step is None else (where.first_step, where.last_step or where.first_step)
    for ref in one.curves[:_MAX_CHARTS]:
        run = logdir.runs.get(ref.run)
        if run is None or not run.has("scalars", ref.tag):
            continue
        column = run.column(ref.tag)
        lines = text_chart(column.steps, column.values, width=min(_CHART_WIDTH, _width() - 16), mark=mark)
        if lines:
            yield strip_control_chars(ref.tag)
            yield from lines


def _summary(found: list[Diagnosis], checked: list[Checked], dismissed: int) -> Iterator[str]:
    counts = {severity: sum(one.finding.severity == severity for one in found) for severity in COLORS}
    parts = [pluralize(count, severity) for severity, count in counts.items() if count]
    runs = pluralize(len(checked), "training")
    yield f"{runs} checked: {', '.join(parts) or 'no findings'}."
    if dismissed:
        yield f"{pluralize(dismissed, 'finding')} dismissed on the board."
    for one in unjudged(checked):
        yield (
            f"{pluralize(one.trainings, 'training')} without {one.role.replace('_', ' ')}: {', '.join(one.codes)} "
            f"could not be judged. Log it with {one.snippet}"
        )


def _width() -> int:
    return max(40, min(_MAX_WIDTH, shutil.get_terminal_size((_MAX_WIDTH, 24)).columns))


def _can_print_braille() -> bool:
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
