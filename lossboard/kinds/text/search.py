"""Search in logged texts, within a limit of characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from lossboard.errors import DecodeError, LogdirError
from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.media import MAX_SHOWN_BYTES
from lossboard.kinds.text.decode import TextStep, text
from lossboard.kinds.text.documents import SearchHit

if TYPE_CHECKING:
    from lossboard.store.run import Key, Run, SeriesInfo

_MAX_HITS = 200
_MAX_CHARACTERS = 100_000_000
_EXCERPT_CHARS = 60
_PART_CHARS = 1 << 20
"""Python cannot switch to another thread while it folds the case of a string."""


def search_texts(runs: Iterable[tuple[Run, Mapping[Key, SeriesInfo]]], query: str) -> tuple[list[SearchHit], bool]:
    """Returns the texts that contain a text, ignoring case, and whether there may be more."""
    wanted, searched = query.casefold(), 0
    hits: list[SearchHit] = []
    for run, tag, point in _points(runs):
        if (excerpt := _excerpt(point, wanted)) is not None:
            hits.append({"run": run.id, "tag": tag, "step": point.step, "excerpt": excerpt})
        searched += sum(map(len, point.texts))
        if len(hits) == _MAX_HITS or searched > _MAX_CHARACTERS:
            return hits, True
    return hits, False


def _points(runs: Iterable[tuple[Run, Mapping[Key, SeriesInfo]]]) -> Iterator[tuple[Run, str, TextStep]]:
    """Yields the texts of runs, of each tag the newest step first."""
    for run, known in runs:
        for tag in (tag for plugin, tag in known if plugin == "text"):
            series = text(run, tag, max_bytes=MAX_SHOWN_BYTES)
            for i in reversed(range(len(series))):
                try:
                    yield run, tag, series[i]
                except (DecodeError, LogdirError):  # the view reports it
                    continue


def _excerpt(point: TextStep, query: str) -> str | None:
    for one in point.texts:
        for start in range(0, len(one) or 1, _PART_CHARS):
            check_cancelled()
            at = one[start : start + _PART_CHARS + len(query)].casefold().find(query)
            if at >= 0:
                return one[max(start + at - _EXCERPT_CHARS, 0) : start + at + len(query) + _EXCERPT_CHARS]
    return None
