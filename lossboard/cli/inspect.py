"""`lossboard inspect`: summarizes runs, tags and corrupt records, as tables or as JSON."""

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
    format_steps,
    format_table,
    pluralize,
    strip_control_chars,
)
from lossboard.cli.progress import spinner
from lossboard.export.describe_fact import format_bytes, format_time
from lossboard.export.text import utf8_writer
from lossboard.kinds import kind_of, kinds

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

MAX_ROWS = 40
_MAX_CORRUPT_RECORDS = 5

_encode = json.JSONEncoder(ensure_ascii=False).encode


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="directory your training writes to, or an event file")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON document")
    parser.add_argument(
        "--all", action="store_true", help=f"print every run and tag, not only the first {MAX_ROWS} of each"
    )


def run(options: argparse.Namespace) -> None:
    with spinner("Reading the logdir"):
        logdir = open_logdir(options.logdir)
    if options.json:
        with utf8_writer(sys.stdout.buffer) as out:
            out.writelines(document(logdir))
        return
    for line in report(logdir, max_rows=None if options.all else MAX_ROWS):
        print(line)


# ---- tags ------------------------------------------------------------------------------------------------------------
class Totals(NamedTuple):
    """Counts of a series, or of several series."""

    series: int
    points: int
    superseded: int
    first_step: int | None
    last_step: int | None


NOTHING = Totals(0, 0, 0, None, None)


def visible_tags(run: Run) -> Iterator[tuple[str, str, Totals]]:
    """Yields kind, tag and counts of the tags that users see. One by one, because a run may have a million."""
    merged: dict[tuple[str, str], Totals] = {}
    for plugin, stored, counts in run.rows(_series_row):
        kind = kind_of(plugin)
        if kind.has_stored_tags:
            yield kind.name, stored, counts
        elif (tag := kind.visible_tag(stored)) is not None:
            merged[kind.name, tag] = _merge_parts(merged.get((kind.name, tag), NOTHING), counts)
    yield from ((kind, tag, counts) for (kind, tag), counts in merged.items())


def _series_row(
    plugin: str, tag: str, points: int, superseded: int, first: int | None, last: int | None, *_: object
) -> tuple[str, str, Totals]:
    return plugin, tag, Totals(1, points, superseded, first, last)


def _merge_parts(a: Totals, b: Totals) -> Totals:
    """Returns the counts of a tag that is stored in parts, such as the vertices and faces of a mesh."""
    return Totals(1, max(a.points, b.points), max(a.superseded, b.superseded), *_step_range(a, b))


def _add(a: Totals, b: Totals) -> Totals:
    return Totals(a.series + b.series, a.points + b.points, a.superseded + b.superseded, *_step_range(a, b))


def _step_range(a: Totals, b: Totals) -> tuple[int | None, int | None]:
    if a.first_step is None or a.last_step is None:
        return b.first_step, b.last_step
    if b.first_step is None or b.last_step is None:
        return a.first_step, a.last_step
    return min(a.first_step, b.first_step), max(a.last_step, b.last_step)


# ---- JSON ------------------------------------------------------------------------------------------------------------
def document(logdir: Logdir) -> Iterator[str]:
    """Yields one JSON document in parts, because a logdir may have more tags than fit into memory as objects."""
    stats = logdir.stats()
    head = {
        "logdirs": [str(root.path) for root in logdir.roots],
        "stats": {name: getattr(stats, name) for name in stats.__slots__},
    }
    yield from (_encode(head)[:-1], ', "runs": [')
    for number, one in enumerate(logdir.runs.values()):
        yield from (", " if number else "", _encode(_run_head(one))[:-1], ', "tags": [')
        yield from _separated(_tag_json(*tag) for tag in visible_tags(one))
        yield "]}"
    yield '], "beside": ['
    yield from _separated(
        _encode({"run": one.name, "tag": tag, "kind": kind_of(plugin).name})
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
        "notes": [note._asdict() for note in health.notes],
    }


def _tag_json(kind: str, tag: str, counts: Totals) -> str:
    numbers = f'"points": {counts.points}, "hidden": {counts.superseded}'
    steps = f'"first_step": {_or_null(counts.first_step)}, "last_step": {_or_null(counts.last_step)}'
    return f'{{"kind": "{kind}", "tag": {encode_basestring(tag)}, {numbers}, {steps}}}'


def _or_null(step: int | None) -> str | int:
    return "null" if step is None else step


def _separated(texts: Iterable[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        yield f", {text}" if number else text


def _finite(seconds: float | None) -> float | None:
    return seconds if seconds is not None and math.isfinite(seconds) else None


# ---- tables ----------------------------------------------------------------------------------------------------------
class LogdirSummary:
    """Counts of a logdir, by run and by tag."""

    def __init__(self, logdir: Logdir) -> None:
        self.runs: dict[str, Totals] = {}
        self.tags: dict[str, dict[str, Totals]] = {name: {} for name in kinds()}
        """By kind, in the order of the kinds, then by tag."""
        for run in logdir.runs.values():
            self._add_run(run)

    def by_tag(self) -> Iterator[tuple[str, str, Totals]]:
        for kind, tags in self.tags.items():
            yield from ((kind, tag, tags[tag]) for tag in sorted(tags))

    def _add_run(self, run: Run) -> None:
        total = NOTHING
        for kind, tag, counts in visible_tags(run):
            total = _add(total, counts)
            tags = self.tags[kind]
            tags[tag] = _add(tags[tag], counts) if tag in tags else counts
        self.runs[run.name] = total


def report(logdir: Logdir, *, max_rows: int | None) -> Iterable[str]:
    """Yields the lines of the tables: totals, runs, tags, corrupt records."""
    summary = LogdirSummary(logdir)
    yield _headline(logdir, summary)
    runs = list(logdir.runs.values())
    if runs:
        yield ""
        rows = (_run_cells(run, summary.runs[run.name]) for run in runs[:max_rows])
        yield from format_table(("run", "started", "tags", "points", "steps", "size", "corrupt"), rows)
        yield from _omitted(len(runs), max_rows, "run")
    if tags := sum(map(len, summary.tags.values())):
        yield ""
        rows = (_tag_cells(kind, tag, total) for kind, tag, total in islice(summary.by_tag(), max_rows))
        yield from format_table(("tag", "kind", "runs", "points", "superseded", "steps"), rows)
        yield from _omitted(tags, max_rows, "tag")
    if problems := [*_corrupt_records(runs), *_notes(runs)]:
        yield ""
        yield from problems


def _headline(logdir: Logdir, summary: LogdirSummary) -> str:
    stats = logdir.stats()
    series = sum(total.series for total in summary.runs.values())
    counts = (
        pluralize(stats.runs, "run"),
        f"{series:,} series",
        pluralize(stats.points, "point"),
        pluralize(stats.blobs, "blob"),
        format_bytes(stats.bytes),
    )
    return f"{', '.join(str(root.path) for root in logdir.roots)}: {', '.join(counts)}"


def _run_cells(run: Run, total: Totals) -> Sequence[str]:
    health = run.health
    corrupt = ""
    if health.bytes or health.records:
        corrupt = f"{pluralize(health.records, 'record')}, {format_bytes(health.bytes)}"
    steps = format_steps(total.first_step, total.last_step)
    numbers = f"{total.series:,}", f"{total.points:,}", steps, format_bytes(run.bytes), corrupt
    return strip_control_chars(run.name), format_time(_finite(run.start)), *numbers


def _tag_cells(kind: str, tag: str, total: Totals) -> Sequence[str]:
    superseded = f"{total.superseded:,}" if total.superseded else ""
    steps = format_steps(total.first_step, total.last_step)
    return strip_control_chars(tag), kind, f"{total.series:,}", f"{total.points:,}", superseded, steps


def _corrupt_records(runs: Iterable[Run]) -> Iterator[str]:
    for run in runs:
        name, places = strip_control_chars(run.name), run.health.places
        for place in places[:_MAX_CORRUPT_RECORDS]:
            file = f"{name}/{strip_control_chars(place.file)}"
            yield f"{file}: corrupt record at byte {place.offset:,}, {format_bytes(place.bytes)} skipped: {place.why}"
        if len(places) > _MAX_CORRUPT_RECORDS:
            more = pluralize(len(places) - _MAX_CORRUPT_RECORDS, "more corrupt record")
            yield f"{name}: {more}. Use --json to list them."


def _notes(runs: Iterable[Run]) -> Iterator[str]:
    for run in runs:
        for note in run.health.notes:
            file = f"{strip_control_chars(run.name)}/{strip_control_chars(note.file)}"
            where = f" The last {format_bytes(note.bytes)} are not read." if note.offset else ""
            yield f"{file}: {note.why}.{where}"


def _omitted(count: int, max_rows: int | None, noun: str) -> Iterator[str]:
    if max_rows is not None and count > max_rows:
        yield f"… and {pluralize(count - max_rows, f'more {noun}')}. Use --all to list them."
