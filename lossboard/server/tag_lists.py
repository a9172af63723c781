"""Tags of all runs: how many each kind has, and the list of one kind. A logdir may have a million."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast, overload

from lossboard.errors import DecodeError, LossboardError, UsageError
from lossboard.events.summary import Metadata
from lossboard.kinds import is_known, kind_of, kinds
from lossboard.server.documents import TagList, TagRow, TagTexts

if TYPE_CHECKING:
    from lossboard.kinds.context import Context
    from lossboard.store.run import Key, Run
    from lossboard.store.series_index import SeriesIndex

_TAG_TEXTS_BYTES = 16 << 20
_ENTRY_BYTES = 500
"""Size of a cache entry apart from its text, roughly."""


_MAX_ROWS = 10_000
"""A longer list of tags is made while it is encoded."""


class Totals(NamedTuple):
    """The number of tags of each kind that has any, and the plugins that no kind reads."""

    kinds: dict[str, int]
    unknown_plugins: list[str]


class TagTotals:
    """Totals of all runs, computed again when a run gets or loses a tag."""

    def __init__(self, index: SeriesIndex) -> None:
        self._index = index
        self._known: tuple[int, Totals] | None = None

    def of(self, runs: Mapping[str, Run]) -> Totals:
        version = self._index.version(runs.values())
        if self._known is None or self._known[0] != version:
            self._known = version, _totals(self._index.keys(runs.values()))
        return self._known[1]


def _totals(series: Iterable[Key]) -> Totals:
    visible: dict[str, set[str]] = {}
    plugins = set()
    for plugin, stored in series:
        plugins.add(plugin)
        kind = kind_of(plugin)
        if (tag := kind.visible_tag(stored)) is not None:
            visible.setdefault(kind.name, set()).add(tag)
    return Totals(
        {kind: len(visible[kind]) for kind in kinds() if kind in visible},
        sorted(plugin for plugin in plugins if not is_known(plugin)),
    )


def describe_tags(context: Context, kind_name: str) -> TagList:
    if kind_name not in kinds():
        raise UsageError(f'Expected "kind" to be one of {", ".join(kinds())}.')
    cursor, found = context.logdir.cursor, TagRows()
    for run, series in context.index.of(context.logdir.runs.values()):
        tags: set[str] = set()  # several series of a run may have the same tag
        for key in series:
            kind = kind_of(key[0])
            if kind.name != kind_name or (tag := kind.visible_tag(key[1])) is None or tag in tags:
                continue
            tags.add(tag)
            if tag not in found.runs and (texts := _texts(context, run, key)):
                found.texts[tag] = texts
            found.runs[tag] = found.runs.get(tag, 0) + 1
    return {"cursor": cursor, "tags": cast("list[TagRow]", found) if len(found) > _MAX_ROWS else found[:]}


class TagRows(Sequence[TagRow]):
    """Rows of a list of tags, sorted. They are made when they are encoded, because a million would take 200 MB."""

    def __init__(self) -> None:
        self.runs: dict[str, int] = {}
        self.texts: dict[str, TagTexts] = {}

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @overload
    def __getitem__(self, index: int) -> TagRow: ...
    @overload
    def __getitem__(self, index: slice) -> list[TagRow]: ...
    def __getitem__(self, index: int | slice) -> TagRow | list[TagRow]:
        found = self._sorted[index]
        return self._row(found) if isinstance(found, str) else list(map(self._row, found))

    def _row(self, tag: str) -> TagRow:
        return {"tag": tag, "runs": self.runs[tag], **self.texts.get(tag, {})}


def _texts(context: Context, run: Run, key: Key) -> TagTexts:
    """Returns the display name and description that were logged with a tag."""
    try:
        metadata = run.metadata(key[1])
    except LossboardError:  # the file was removed or replaced, but the index still has the tag
        return {}
    if not metadata:
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
