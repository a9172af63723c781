"""State of a served board, and the documents that describe its runs and tags."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from lossboard import __version__
from lossboard.errors import DecodeError, LossboardError, UsageError
from lossboard.events.summary import Metadata
from lossboard.kinds import is_known, kind_of, kinds, visible_tag
from lossboard.kinds.context import Context
from lossboard.kinds.findings.api import count_findings
from lossboard.select.facts.table import Facts
from lossboard.select.runs import select_runs
from lossboard.server.documents import BoardInfo, Damage, RunRow, TagList, TagRow, TagTexts, TrashList
from lossboard.server.live import LogdirFollower, finite_time
from lossboard.store.annotations import Annotations
from lossboard.store.run_ids import run_labels
from lossboard.store.series_index import SeriesIndex

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Key, Run

_MAX_DAMAGE_LOCATIONS = 100
_TAG_TEXTS_BYTES = 16 << 20
_ENTRY_BYTES = 500
"""Size of a cache entry apart from its text, roughly."""


@dataclass(frozen=True)
class BoardState:
    """A served logdir: the context of its requests, the facts about its runs, and the thread that follows it."""

    context: Context
    facts: Facts
    follower: LogdirFollower
    title: str = ""

    @classmethod
    def create(cls, logdir: Logdir, *, title: str = "", interval_secs: float = 1.0, follow: bool = True) -> BoardState:
        context = new_context(logdir)
        refresh = context.annotations.refresh
        follower = LogdirFollower(logdir, sidecar_changed=refresh, interval_secs=interval_secs, follow=follow)
        facts = Facts(logdir, context.index, context.annotations, state=follower.state)
        return cls(context, facts, follower, title)


def new_context(logdir: Logdir) -> Context:
    return Context(logdir, SeriesIndex(), Annotations(logdir), partial(select_runs, logdir))


def describe_board(board: BoardState) -> BoardInfo:
    loading = not board.follower.loaded.is_set()  # read before the runs: loaded must mean that the list is complete
    context = board.context
    runs = dict(context.logdir.runs)
    labels = run_labels(runs, root=context.logdir.roots[0].path)
    why_not = context.annotations.why_not_writable()
    described: BoardInfo = {
        "title": board.title,
        "logdirs": [str(root.path.absolute()) for root in context.logdir.roots],
        "missing": [str(root.path.absolute()) for root in context.logdir.roots if not root.path.exists()],
        "version": __version__,
        "cursor": context.logdir.cursor,
        "kinds": _tags_by_kind(context),
        "unknown_plugins": _unknown_plugins(context),
        "runs": [_describe_run(board, run, labels[name]) for name, run in runs.items()],
        "views": context.annotations.views(),
        "trashed": len(context.annotations.deleted_runs()),
        "writable": not why_not,
        "loading": loading,
    }
    if why_not:
        described["why_not"] = why_not
    return described


def describe_tags(context: Context, kind_name: str) -> TagList:
    if kind_name not in kinds():
        raise UsageError(f'Expected "kind" to be one of {", ".join(kinds())}.')
    cursor, runs = context.logdir.cursor, context.logdir.runs
    counts = context.index.counts(runs)
    stored: dict[str, list[Key]] = {}
    for plugin, tag in sorted(counts):
        if kind_of(plugin).name == kind_name and (visible := visible_tag(plugin, tag)) is not None:
            stored.setdefault(visible, []).append((plugin, tag))
    shared = {key for keys in stored.values() if len(keys) > 1 for key in keys}
    indexed = [series.keys() for _, series in context.index.of(runs.values())] if shared else []
    tags: list[TagRow] = []
    for tag, keys in sorted(stored.items()):
        count = counts[keys[0]] if len(keys) == 1 else sum(not series.isdisjoint(keys) for series in indexed)
        tags.append({"tag": tag, "runs": count, **_texts(context, keys[0])})
    return {"cursor": cursor, "tags": tags}


def describe_trash(context: Context) -> TrashList:
    return {"runs": context.annotations.deleted_runs(), "folders": context.annotations.trash_folders()}


def _texts(context: Context, key: Key) -> TagTexts:
    """Returns the display name and description that were logged with a tag."""
    try:
        metadata = context.index.metadata(key)
    except LossboardError:  # the file was removed or replaced, but the index still has the tag
        return {}
    cache = context.caches.get("tag texts", max_size=_TAG_TEXTS_BYTES)
    texts: TagTexts | None = cache.get((key, metadata))
    if texts is None:
        texts = _parse_texts(key[1], metadata)
        cache.put((key, metadata), texts, size=len(key[1]) + 2 * len(metadata) + _ENTRY_BYTES)
    return texts


def _parse_texts(tag: str, metadata: bytes) -> TagTexts:
    texts: TagTexts = {}
    with suppress(DecodeError):
        parsed = Metadata.parse(metadata)
        if parsed.display_name and parsed.display_name != tag:
            texts["display"] = parsed.display_name
        if parsed.description and parsed.description != tag:
            texts["description"] = parsed.description
    return texts


def _tags_by_kind(context: Context) -> dict[str, int]:
    tags: dict[str, set[str]] = {}
    for plugin, stored in context.index.counts(context.logdir.runs):
        if (tag := visible_tag(plugin, stored)) is not None:
            tags.setdefault(kind_of(plugin).name, set()).add(tag)
    return {kind: len(names) for kind, names in tags.items()}


def _unknown_plugins(context: Context) -> list[str]:
    return sorted({plugin for plugin, _ in context.index.counts(context.logdir.runs) if not is_known(plugin)})


def _describe_run(board: BoardState, run: Run, label: str) -> RunRow:
    described: RunRow = {
        "id": run.id,
        "name": run.name,
        "label": label,
        "path": os.path.abspath(run.directory),  # noqa: PTH100 (a Path takes five times as long)
        "start": finite_time(run.start),
        "last": finite_time(run.last),
        "state": board.follower.state(run),
        "bytes": run.bytes,
    }
    described.update(cast(RunRow, board.context.annotations.of(run)))
    if damage := _describe_damage(run):
        described["damage"] = damage
    if found := count_findings(run):
        described["findings"] = found
    return described


def _describe_damage(run: Run) -> Damage | None:
    health = run.health
    if not (health.records or health.bytes or health.places):
        return None
    places = health.places[:_MAX_DAMAGE_LOCATIONS]
    return {
        "records": health.records,
        "bytes": health.bytes,
        "where": [{"file": str(p.file), "offset": p.offset, "bytes": p.bytes, "why": p.why} for p in places],
    }
