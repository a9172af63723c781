"""`lossboard inspect`: what a logdir holds, for people and (with --json) for scripts."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, NamedTuple

from lossboard.board import open_logdir
from lossboard.cli.formatting import (
    format_bytes,
    format_steps,
    format_table,
    format_time,
    pluralize,
    strip_control_chars,
)
from lossboard.cli.progress import spinner
from lossboard.export.text import utf8_writer
from lossboard.kinds import kind_of, kinds

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

SHOWN = 40
PLACES_SHOWN = 5

_encode = json.JSONEncoder(ensure_ascii=False).encode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="the folder that training writes to")
    parser.add_argument("--json", action="store_true", help="everything, as one JSON document")
    parser.add_argument("--all", action="store_true", help=f"every run and tag, not only the first {SHOWN} of each")


def run(options: argparse.Namespace) -> None:
    with spinner("Reading the logdir"):
        logdir = open_logdir(options.logdir)
    if options.json:
        with utf8_writer(sys.stdout.buffer) as out:
            out.writelines(document(logdir))
        return
    for line in report(logdir, most=None if options.all else SHOWN):
        print(line)


# ---- for scripts -----------------------------------------------------------------------------------------------------
def document(logdir: Logdir) -> Iterator[str]:
    """One JSON document in pieces, since a logdir may have more tags than fit into memory as objects."""
    stats = logdir.stats()
    head = {
        "logdirs": [str(root.path) for root in logdir.roots],
        "stats": {name: getattr(stats, name) for name in stats.__slots__},
    }
    yield from (_encode(head)[:-1], ', "runs": [')
    for number, one in enumerate(logdir.runs.values()):
        yield from (", " if number else "", _encode(_run_head(one))[:-1], ', "tags": [')
        yield from _separated(one.rows(_tag_text))
        yield "]}"
    yield '], "beside": ['
    yield from _separated(
        _encode({"run": one.name, "tag": tag, "kind": _kind_name(plugin)})
        for one in logdir.runs.values()
        for plugin, tag in one.assets.series
    )
    yield "]}\n"


def _run_head(run: Run) -> dict[str, Any]:
    health = run.health
    return {
        "name": run.name,
        "path": str(run.path),
        "start": _finite(run.start),
        "last": _finite(run.last),
        "bytes": run.bytes,
        "damage": {"records": health.records, "bytes": health.bytes, "places": [p._asdict() for p in health.places]},
    }


def _tag_text(plugin: str, tag: str, points: int, hidden: int, first: int | None, last: int | None, _: int) -> str:
    reach = f'"first_step": {_or_null(first)}, "last_step": {_or_null(last)}'
    text = encode_basestring(tag)
    return f'{{"kind": "{_kind_name(plugin)}", "tag": {text}, "points": {points}, "hidden": {hidden}, {reach}}}'


def _or_null(step: int | None) -> str | int:
    return "null" if step is None else step


def _separated(texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        yield f", {text}" if number else text


def _finite(seconds: float | None) -> float | None:
    return seconds if seconds is not None and math.isfinite(seconds) else None


def _kind_name(plugin: str) -> str:
    return kind_of(plugin).name


# ---- for people ------------------------------------------------------------------------------------------------------
class Totals(NamedTuple):
    """Series added up: those of a run, or those of a tag."""

    series: int
    points: int
    hidden: int
    first_step: int | None
    last_step: int | None


NOTHING = Totals(0, 0, 0, None, None)


class LogdirSummary:
    """Every series of a logdir, added up by run and by tag."""

    def __init__(self, logdir: Logdir) -> None:
        self.runs: dict[str, Totals] = {}
        self.tags: dict[str, dict[str, Totals]] = {name: {} for name in kinds()}
        """By kind, in the kinds' order, then by tag."""
        for run in logdir.runs.values():
            self._add_run(run)

    def by_tag(self) -> Iterator[tuple[str, str, Totals]]:
        for kind, tags in self.tags.items():
            yield from ((kind, tag, tags[tag]) for tag in sorted(tags))

    def _add_run(self, run: Run) -> None:
        whole = NOTHING
        for plugin, tag, *numbers in run.rows(_fields):
            series = Totals(1, *numbers)
            whole = _added(whole, series)
            self._add_tag(_kind_name(plugin), tag, series)
        self.runs[run.name] = whole

    def _add_tag(self, kind: str, tag: str, series: Totals) -> None:
        tags = self.tags[kind]
        known = tags.get(tag)
        tags[tag] = series if known is None else _added(known, series)


def _fields(plugin: str, tag: str, points: int, hidden: int, first: int | None, last: int | None, _: int) -> Any:
    return plugin, tag, points, hidden, first, last


def _added(a: Totals, b: Totals) -> Totals:
    first = b.first_step if a.first_step is None else a.first_step
    last = b.last_step if a.last_step is None else a.last_step
    if first is not None and b.first_step is not None and b.first_step < first:
        first = b.first_step
    if last is not None and b.last_step is not None and b.last_step > last:
        last = b.last_step
    return Totals(a.series + b.series, a.points + b.points, a.hidden + b.hidden, first, last)


def report(logdir: Logdir, *, most: int | None) -> Iterable[str]:
    """The lines that a person reads: the sum, the runs, the tags, the damage."""
    yield _headline(logdir)
    survey = LogdirSummary(logdir)
    runs = list(logdir.runs.values())
    if runs:
        yield ""
        rows = (_run_cells(run, survey.runs[run.name]) for run in runs[:most])
        yield from format_table(("run", "started", "tags", "points", "steps", "size", "damage"), rows)
        yield from _more(len(runs), most, "runs")
    if tags := sum(map(len, survey.tags.values())):
        yield ""
        rows = (_tag_cells(kind, tag, whole) for kind, tag, whole in islice(survey.by_tag(), most))
        yield from format_table(("tag", "kind", "runs", "points", "hidden", "steps"), rows)
        yield from _more(tags, most, "tags")
    if damage := list(_damage(runs)):
        yield ""
        yield from damage


def _headline(logdir: Logdir) -> str:
    stats = logdir.stats()
    where = ", ".join(str(root.path) for root in logdir.roots)
    counts = f"{pluralize(stats.runs, 'run')}, {pluralize(stats.tags, 'tag')}, {pluralize(stats.points, 'point')}"
    return f"{where}: {counts}, {pluralize(stats.blobs, 'blob')}, {format_bytes(stats.bytes)}"


def _run_cells(run: Run, whole: Totals) -> Sequence[str]:
    health = run.health
    damage = (
        f"{pluralize(health.records, 'record')}, {format_bytes(health.bytes)}" if health.bytes or health.records else ""
    )
    reach = format_steps(whole.first_step, whole.last_step)
    numbers = f"{whole.series:,}", f"{whole.points:,}", reach, format_bytes(run.bytes), damage
    return strip_control_chars(run.name), format_time(_finite(run.start)), *numbers


def _tag_cells(kind: str, tag: str, whole: Totals) -> Sequence[str]:
    hidden = f"{whole.hidden:,}" if whole.hidden else ""
    reach = format_steps(whole.first_step, whole.last_step)
    return strip_control_chars(tag), kind, f"{whole.series:,}", f"{whole.points:,}", hidden, reach


def _damage(runs: Iterable[Run]) -> Iterable[str]:
    for run in runs:
        places = run.health.places
        for place in places[:PLACES_SHOWN]:
            where = f"{strip_control_chars(run.name)}/{strip_control_chars(place.file)} at byte {place.offset:,}"
            yield f"damaged: {where}, {format_bytes(place.bytes)} skipped: {place.why}"
        if len(places) > PLACES_SHOWN:
            more = len(places) - PLACES_SHOWN
            yield f"damaged: {more} more places in {strip_control_chars(run.name)}; --json has them"


def _more(there: int, shown: int | None, what: str) -> Iterable[str]:
    if shown is not None and there > shown:
        yield f"… and {there - shown:,} more {what}; --all and --json have them"
