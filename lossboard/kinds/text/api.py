"""Routes of text: the series, rendered texts, search and ZIP downloads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any, cast

from lossboard.kinds.batches import Missing, read_or_missing
from lossboard.kinds.context import Context
from lossboard.kinds.limits import check_size
from lossboard.kinds.media import MAX_SHOWN_BYTES, MediaSeries, get_point, list_series
from lossboard.kinds.params import get_objects, get_str
from lossboard.kinds.routes import Download, JsonResult, Route, StreamResult
from lossboard.kinds.text.decode import TextStep, text
from lossboard.kinds.text.documents import SearchResult, Text, TextList, TextSeries, TextSeriesList
from lossboard.kinds.text.render_process import render_all
from lossboard.kinds.text.search import search_texts
from lossboard.kinds.zip_download import ZipEntry, zip_download

_MAX_TEXTS = 100
_MAX_CHARACTERS = 100_000_000
# Limits of the source that a page gets. A download is complete.
_MAX_SOURCE = 500_000
_MAX_STRINGS = 2_000
_MAX_CACHED_HTML = 16 << 20
_ENTRY_BYTES = 500
"""Size of a cached text apart from its HTML, roughly."""

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
    points = list(_points(context, get_objects(params, "texts", maximum=_MAX_TEXTS)))
    html = iter(_rendered(context, [point for point in points if isinstance(point, TextStep)]))
    found = [_text(point, next(html)) if isinstance(point, TextStep) else point for point in points]
    return JsonResult({"cursor": cursor, "texts": found})


def _points(context: Context, places: Sequence[Mapping[str, Any]]) -> Iterator[TextStep | Missing]:
    size = 0
    for place in places:
        point = read_or_missing(partial(get_point, context, open_series=_shown), place)
        size += sum(map(len, point.texts)) if isinstance(point, TextStep) else 0
        check_size(size, _MAX_CHARACTERS, "characters", "Request fewer texts.")
        yield point


def _rendered(context: Context, points: Sequence[TextStep]) -> list[str | None]:
    """Returns the HTML of each text. It is cached by content, because any new point invalidates cached responses."""
    cache = context.caches.get("text.html", max_size=_MAX_CACHED_HTML)
    keys = [_digest(point) for point in points]
    known = {key: found[0] for key in keys if (found := cache.get(key)) is not None}
    missing = {key: (point.texts, point.shape) for key, point in zip(keys, points, strict=True) if key not in known}
    rendered = render_all(list(missing.values()))
    for at, key in enumerate(missing):
        if at in rendered:  # otherwise there was no time for it
            known[key] = rendered[at]
            cache.put(key, (known[key],), size=len(known[key] or "") + len(key) + _ENTRY_BYTES)
    return [known.get(key) for key in keys]


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
    """Searches the texts of the selected runs, newest step first, ignoring case."""
    cursor, runs = context.logdir.cursor, context.index.of(context.select_runs(params.get("runs")))
    hits, cut = search_texts(runs, get_str(params, "words"))
    return JsonResult({"cursor": cursor, "hits": hits, "cut": cut})


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
