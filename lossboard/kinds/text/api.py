"""What texts answer: which there are, some of them rendered, and where a word occurs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lossboard.kinds.media import MAX_SHOWN_BYTES, get_point, list_series
from lossboard.kinds.params import get_objects, get_str
from lossboard.kinds.routes import Download, JsonResult, Route, RouteResult, StreamResult
from lossboard.kinds.text.decode import TextStep, text
from lossboard.kinds.text.render import render
from lossboard.kinds.zip_download import ZipEntry, zip_download

if TYPE_CHECKING:
    from lossboard.kinds.context import Context

_MAX_TEXTS = 100
_MAX_HITS = 200
_CONTEXT = 60
# What a page gets of the source; a download has all.
_MAX_SOURCE = 500_000
_MAX_STRINGS = 2_000

_shown = partial(text, max_bytes=MAX_SHOWN_BYTES)


def series(context: Context, params: Mapping[str, Any]) -> RouteResult:
    return list_series(context, params, "text", _shown, lambda point: {"shape": point.shape})


def texts(context: Context, params: Mapping[str, Any]) -> RouteResult:
    cursor = context.logdir.cursor
    texts = [_text(get_point(context, one, _shown)) for one in get_objects(params, "texts", maximum=_MAX_TEXTS)]
    return JsonResult({"cursor": cursor, "texts": texts})


def _text(point: TextStep) -> dict[str, Any]:
    html = render(point.texts, point.shape)
    shown = [one[:_MAX_SOURCE] for one in point.texts[:_MAX_STRINGS]]
    cut = len(point.texts) > _MAX_STRINGS or any(len(one) > _MAX_SOURCE for one in point.texts)
    when = {"step": point.step, "wall": point.wall_time}
    return {**when, "texts": shown, "shape": point.shape, "html": html, "cut": cut}


def search(context: Context, params: Mapping[str, Any]) -> RouteResult:
    """Looks through every step of every text of the chosen runs, newest first, letters of either case."""
    wanted = get_str(params, "words").casefold()
    cursor, hits = context.logdir.cursor, list[dict[str, Any]]()
    for run in context.select_runs(params.get("runs")):
        for info in run.index():
            if info.plugin != "text":
                continue
            for point in reversed(list(_shown(run, info.tag))):
                excerpt = _excerpt(point, wanted)
                if excerpt is not None:
                    hits.append({"run": run.id, "tag": info.tag, "step": point.step, "excerpt": excerpt})
                if len(hits) == _MAX_HITS:
                    return JsonResult({"cursor": cursor, "hits": hits, "cut": True})
    return JsonResult({"cursor": cursor, "hits": hits, "cut": False})


def _excerpt(point: TextStep, wanted: str) -> str | None:
    for one in point.texts:
        at = one.casefold().find(wanted)
        if at >= 0:
            return one[max(at - _CONTEXT, 0) : at + len(wanted) + _CONTEXT]
    return None


def download(context: Context, params: Mapping[str, Any]) -> StreamResult:
    return zip_download(context, params, _shown, _entries, filename="texts.zip")


def _entries(point: TextStep) -> Iterator[ZipEntry]:
    return (ZipEntry(one.encode(), "md") for one in point.texts)


ROUTES = (
    Route("series", series, "The texts of the chosen runs: tags and steps", "POST"),
    Route("texts", texts, "Some texts: source, and HTML that is safe to show", "POST"),
    Route("search", search, "Where words occur in the texts of the chosen runs", "POST"),
    Download("zip", download, "Some texts, or every step of some, as one zip"),
)
