"""What the shell of the page asks for: the runs with all that is known of them, and the tags of a kind."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lossboard import __version__
from lossboard.errors import DecodeError, LossboardError, UsageError
from lossboard.events.summary import Metadata
from lossboard.kinds import kind_of, kinds
from lossboard.server.live import LogdirFollower
from lossboard.store.annotations import Annotations
from lossboard.store.run_ids import run_id, run_labels
from lossboard.store.series_index import Key, SeriesIndex, index_of

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

_MAX_PLACES_OF_DAMAGE = 100


@dataclass(frozen=True)
class BoardState:
    """A logdir that is being served, with everything that goes with it."""

    logdir: Logdir
    follower: LogdirFollower
    annotations: Annotations
    title: str = ""


def describe_board(board: BoardState) -> dict[str, Any]:
    loading = not board.follower.loaded.is_set()  # before the runs are looked at, or "loaded" might be said of too few
    roots = board.logdir.roots
    runs = dict(board.logdir.runs)
    shown = run_labels(runs, root=roots[0].path)
    why_not = board.annotations.why_not_writable()
    return {
        "title": board.title,
        "logdirs": [str(root.path.absolute()) for root in roots],
        "version": __version__,
        "cursor": board.logdir.cursor,
        "kinds": _tags_by_kind(board),
        "runs": [_describe_run(board, run, shown[name]) for name, run in runs.items()],
        "views": dict(board.annotations.views()),
        "writable": not why_not,
        "loading": loading,
    } | ({"why_not": why_not} if why_not else {})


def describe_tags(board: BoardState, kind_name: str) -> dict[str, Any]:
    if kind_name not in kinds():
        raise UsageError(f'Expected "kind" to be one of {", ".join(kinds())}.')
    cursor, index = board.logdir.cursor, index_of(board.logdir)
    rows: dict[str, dict[str, Any]] = {}
    for key, count in sorted(index.counts(board.logdir.runs).items()):
        if kind_of(key[0]).name == kind_name:
            rows[key[1]] = {"tag": key[1], "runs": count} | _words(key[1], _metadata(index, key))
    return {"cursor": cursor, "tags": [rows[tag] for tag in sorted(rows)]}


def _metadata(index: SeriesIndex, key: Key) -> bytes:
    try:
        return index.metadata(key)
    except LossboardError:  # the file has gone or was replaced; the tag is there all the same
        return b""


@lru_cache(maxsize=20_000)
def _words(tag: str, metadata: bytes) -> dict[str, str]:
    """What the program that logged a tag says of it."""
    try:
        told = Metadata.parse(metadata)
    except DecodeError:
        return {}
    words = {"display": told.display_name, "description": told.description}
    return {name: text for name, text in words.items() if text and text != tag}


def _tags_by_kind(board: BoardState) -> dict[str, int]:
    tags: dict[str, set[str]] = {}
    for plugin, tag in index_of(board.logdir).counts(board.logdir.runs):
        tags.setdefault(kind_of(plugin).name, set()).add(tag)
    return {kind: len(names) for kind, names in tags.items()}


def _describe_run(board: BoardState, run: Run, label: str) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": run_id(run.name),
        "name": run.name,
        "label": label,
        "path": str(run.path.absolute()),
        "start": run.start,
        "last": run.last,
        "state": board.follower.state(run),
        "bytes": run.bytes,
    }
    if damage := _describe_damage(run):
        described["damage"] = damage
    return described | board.annotations.of(run)


def _describe_damage(run: Run) -> dict[str, Any] | None:
    health = run.health
    if not (health.records or health.bytes):
        return None
    places = health.places[:_MAX_PLACES_OF_DAMAGE]
    where = [{"file": str(p.file), "offset": p.offset, "bytes": p.bytes, "why": p.why} for p in places]
    return {"records": health.records, "bytes": health.bytes, "where": where}
