"""Routes of text: the series, rendered texts, search and ZIP downloads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from lossboard.kinds.context import Context
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_point, list_series
from lossboard.kinds.params import get_objects, get_str
from lossboard.kinds.routes import Download, JsonResult, Route, StreamResult
from lossboard.kinds.text.decode import TextStep, text
from lossboard.kinds.text.documents import SearchHit, SearchResult, Text, TextList, TextSeries, TextSeriesList
from lossboard.kinds.text.render_process import render_all
from lossboard.kinds.zip_download import ZipEntry, zip_download

if TYPE_CHECKING:
    from lossboard.store.run import Run

_MAX_TEXTS = 100
_MAX_HITS = 200
_EXCERPT_CHARS = 60
# Limits of the source that a page gets. A download is complete.
_MAX_SOURCE = 500_000
_MAX_STRINGS = 2_000
_MAX_CACHED_HTML = 16 << 20

_shown = partial(text, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[TextSeriesList]:
    cursor = context.logdir.cursor
    found = [_describe(one, newest) for one, newest in list_series(context, params, "text", _shown)]
    return JsonResult({"cursor": cursor, "series": found})


def _describe(series: MediaSeries, newest: TextStep | None) -> TextSeries:
    described = cast(TextSeries, series)  # all further fields are optional
    if newest is not None:
        described["shape"] = newest.shape
    return described


def texts(context: Context, params: Mapping[str, Any]) -> JsonResult[TextList]:
    cursor = context.logdir.cursor
    points = [get_point(context, one, _shown) for one in get_objects(params, "texts", maximum=_MAX_TEXTS)]
    return JsonResult({"cursor": cursor, "texts": list(map(_text, points, _rendered(context, points)))})


def _rendered(context: Context, points: Sequence[TextStep]) -> list[str | None]:
    """Returns the HTML of each text. It is cached by content, because any new point invalidates cached responses."""
    cache = context.caches.get("text.html", max_size=_MAX_CACHED_HTML)
    keys = [_digest(point) for point in points]
    known = {key: found[0] for key in keys if (found := cache.get(key)) is not None}
    missing = {key: (point.texts, point.shape) for key, point in zip(keys, points, strict=True) if key not in known}
    for key, html in zip(missing, render_all(list(missing.values())), strict=True):
        known[key] = html
        cache.put(key, (html,), size=len(html or "") + len(key))
    return [known[key] for key in keys]


def _digest(point: TextStep) -> bytes:
    digest = blake2b(repr(point.shape).encode())
    for one in point.texts:
        digest.update(one.encode() + b"\0")
    return digest.digest()


def _text(point: TextStep, html: str | None) -> Text:
    return {
        "step": point.step,
        "wall": point.wall_time,
        "texts": [one[:_MAX_SOURCE] for one in point.texts[:_MAX_STRINGS]],
        "shape": point.shape,
        "html": html,
        "cut": len(point.texts) > _MAX_STRINGS or any(len(one) > _MAX_SOURCE for one in point.texts),
    }


def search(context: Context, params: Mapping[str, Any]) -> JsonResult[SearchResult]:
    """Searches all texts of the selected runs, newest step first, ignoring case."""
    cursor, query = context.logdir.cursor, get_str(params, "words").casefold()
    hits = list(islice(_hits(context.select_runs(params.get("runs")), query), _MAX_HITS))
    return JsonResult({"cursor": cursor, "hits": hits, "cut": len(hits) == _MAX_HITS})


def _hits(runs: Iterable[Run], query: str) -> Iterator[SearchHit]:
    for run in runs:
        for info in run.index():
            if info.plugin != "text":
                continue
            for point in reversed(list(_shown(run, info.tag))):
                if (excerpt := _excerpt(point, query)) is not None:
                    yield {"run": run.id, "tag": info.tag, "step": point.step, "excerpt": excerpt}


def _excerpt(point: TextStep, query: str) -> str | None:
    for one in point.texts:
        at = one.casefold().find(query)
        if at >= 0:
            return one[max(at - _EXCERPT_CHARS, 0) : at + len(query) + _EXCERPT_CHARS]
    return None


def download(context: Context, params: Mapping[str, Any]) -> StreamResult:
    return zip_download(context, params, _shown, _entries, filename="texts.zip")


def _entries(point: TextStep) -> Iterator[ZipEntry]:
    return (ZipEntry(one.encode(), "md") for one in point.texts)


ROUTES = (
    Route("series", series, "Texts of the selected runs: tags and steps", "POST"),
    Route("texts", texts, "Some texts: source and sanitized HTML", "POST"),
    Route("search", search, "Search in the texts of the selected runs", "POST"),
    Download("zip", download, "Some texts, or every step of some series, as one ZIP"),
)
