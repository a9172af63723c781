"""`lossboard inspect`: what a logdir holds, for people and (with --json) for scripts."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lossboard.board import open_logdir
from lossboard.cli.layout import count, plain, size, steps, table, time
from lossboard.cli.progress import working
from lossboard.kinds import kind_of, kinds
from lossboard.kinds.beside import everything_beside

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run, SeriesInfo

SHOWN = 40
PLACES_SHOWN = 5


class Row(NamedTuple):
    """A tag, in one run or summed over all."""

    kind: str
    tag: str
    runs: int
    points: int
    hidden: int
    first_step: int | None
    last_step: int | None


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("logdir", metavar="LOGDIR", help="the folder that training writes to")
    parser.add_argument("--json", action="store_true", help="everything, as one JSON document")
    parser.add_argument("--all", action="store_true", help=f"every run and tag, not only the first {SHOWN} of each")


def run(options: argparse.Namespace) -> None:
    with working("Reading the logdir"):
        logdir = open_logdir(options.logdir)
    if options.json:
        json.dump(document(logdir), sys.stdout, ensure_ascii=False)
        print()
        return
    for line in report(logdir, most=None if options.all else SHOWN):
        print(line)


# ---- for scripts -----------------------------------------------------------------------------------------------------
def document(logdir: Logdir) -> dict[str, Any]:
    stats = logdir.stats()
    return {
        "logdirs": [str(root.path) for root in logdir.roots],
        "stats": {name: getattr(stats, name) for name in stats.__slots__},
        "runs": [_run_document(run) for run in logdir.runs.values()],
        "beside": [
            {"run": found.run, "tag": found.tag, "kind": kind.name} for kind, found in everything_beside(logdir)
        ],
    }


def _run_document(run: Run) -> dict[str, Any]:
    health = run.health
    return {
        "name": run.name,
        "path": str(run.path),
        "start": _finite(run.start),
        "last": _finite(run.last),
        "bytes": run.bytes,
        "damage": {"records": health.records, "bytes": health.bytes, "places": [p._asdict() for p in health.places]},
        "tags": [{key: value for key, value in _row(info)._asdict().items() if key != "runs"} for info in run.index()],
    }


def _finite(seconds: float | None) -> float | None:
    return seconds if seconds is not None and math.isfinite(seconds) else None


# ---- for people ------------------------------------------------------------------------------------------------------
def report(logdir: Logdir, *, most: int | None) -> Iterable[str]:
    """The lines that a person reads: the sum, the runs, the tags, the damage."""
    yield _headline(logdir)
    runs, rows = list(logdir.runs.values()), _rows_over_all(logdir)
    if runs:
        yield ""
        yield from table(("run", "started", "tags", "points", "steps", "size", "damage"), map(_run_cells, runs[:most]))
        yield from _more(len(runs), most, "runs")
    if rows:
        yield ""
        yield from table(("tag", "kind", "runs", "points", "hidden", "steps"), map(_tag_cells, rows[:most]))
        yield from _more(len(rows), most, "tags")
    if damage := list(_damage(runs)):
        yield ""
        yield from damage


def _headline(logdir: Logdir) -> str:
    stats = logdir.stats()
    where = ", ".join(str(root.path) for root in logdir.roots)
    counts = f"{count(stats.runs, 'run')}, {count(stats.tags, 'tag')}, {count(stats.points, 'point')}"
    return f"{where}: {counts}, {count(stats.blobs, 'blob')}, {size(stats.bytes)}"


def _rows_over_all(logdir: Logdir) -> list[Row]:
    rows: dict[tuple[str, str], Row] = {}
    in_files = (_row(info) for run in logdir.runs.values() for info in run.index())
    beside = (Row(kind.name, found.tag, 1, 1, 0, None, None) for kind, found in everything_beside(logdir))
    for row in chain(in_files, beside):
        before = rows.get((row.kind, row.tag))
        rows[row.kind, row.tag] = row if before is None else _sum(before, row)
    order = list(kinds())
    return sorted(rows.values(), key=lambda row: (order.index(row.kind), row.tag))


def _row(info: SeriesInfo) -> Row:
    return Row(kind_of(info.plugin).name, info.tag, 1, info.count, info.hidden, info.first_step, info.last_step)


def _sum(a: Row, b: Row) -> Row:
    firsts = [step for step in (a.first_step, b.first_step) if step is not None]
    lasts = [step for step in (a.last_step, b.last_step) if step is not None]
    first, last = min(firsts, default=None), max(lasts, default=None)
    return Row(a.kind, a.tag, a.runs + b.runs, a.points + b.points, a.hidden + b.hidden, first, last)


def _run_cells(run: Run) -> Sequence[str]:
    index, health, start = run.index(), run.health, _finite(run.start)
    firsts = [info.first_step for info in index if info.first_step is not None]
    lasts = [info.last_step for info in index if info.last_step is not None]
    points = sum(info.count for info in index)
    damage = f"{count(health.records, 'record')}, {size(health.bytes)}" if health.bytes or health.records else ""
    reach = steps(min(firsts, default=None), max(lasts, default=None))
    return plain(run.name), time(start), f"{len(index):,}", f"{points:,}", reach, size(run.bytes), damage


def _tag_cells(row: Row) -> Sequence[str]:
    hidden = f"{row.hidden:,}" if row.hidden else ""
    return plain(row.tag), row.kind, f"{row.runs:,}", f"{row.points:,}", hidden, steps(row.first_step, row.last_step)


def _damage(runs: Iterable[Run]) -> Iterable[str]:
    for run in runs:
        places = run.health.places
        for place in places[:PLACES_SHOWN]:
            where = f"{plain(run.name)}/{plain(place.file)} at byte {place.offset:,}"
            yield f"damaged: {where}, {size(place.bytes)} skipped: {place.why}"
        if len(places) > PLACES_SHOWN:
            yield f"damaged: {len(places) - PLACES_SHOWN} more places in {plain(run.name)}; --json has them"


def _more(there: int, shown: int | None, what: str) -> Iterable[str]:
    if shown is not None and there > shown:
        yield f"… and {there - shown:,} more {what}; --all and --json have them"
