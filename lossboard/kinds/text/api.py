"""What texts answer: which there are, some of them rendered, and where a word occurs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from lossboard.kinds.archive import Entry, archive
from lossboard.kinds.asked import objects, word
from lossboard.kinds.registry import Answer, Download, Json, Route, Stream
from lossboard.kinds.steps import MAX_SHOWN_BYTES, list_series, point_asked
from lossboard.kinds.text.decode import TextStep, text
from lossboard.kinds.text.render import render
from lossboard.query.runs import choose_runs, run_id

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir

_MAX_TEXTS = 100
_MAX_HITS = 200
_CONTEXT = 60
# What a page gets of the source; a download has all.
_MAX_SOURCE = 500_000
_MAX_STRINGS = 2_000

_shown = partial(text, max_bytes=MAX_SHOWN_BYTES)


def series(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    return list_series(logdir, parameters, "text", _shown, lambda point: {"shape": point.shape})


def texts(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    asked = objects(parameters, "texts", most=_MAX_TEXTS)
    return Json({"cursor": logdir.cursor, "texts": [_text(point_asked(logdir, one, _shown)) for one in asked]})


def _text(point: TextStep) -> dict[str, Any]:
    html = render(point.texts, point.shape)
    shown = [one[:_MAX_SOURCE] for one in point.texts[:_MAX_STRINGS]]
    cut = len(point.texts) > _MAX_STRINGS or any(len(one) > _MAX_SOURCE for one in point.texts)
    when = {"step": point.step, "wall": point.wall_time}
    return {**when, "texts": shown, "shape": point.shape, "html": html, "cut": cut}


def search(logdir: Logdir, parameters: Mapping[str, Any]) -> Answer:
    """Looks through every step of every text of the chosen runs, newest first, letters of either case."""
    wanted = word(parameters, "words").casefold()
    hits: list[dict[str, Any]] = []
    for run in choose_runs(logdir, parameters.get("runs")):
        for info in run.index():
            if info.plugin != "text":
                continue
            for point in reversed(list(_shown(run, info.tag))):
                excerpt = _excerpt(point, wanted)
                if excerpt is not None:
                    hits.append({"run": run_id(run.name), "tag": info.tag, "step": point.step, "excerpt": excerpt})
                if len(hits) == _MAX_HITS:
                    return Json({"cursor": logdir.cursor, "hits": hits, "cut": True})
    return Json({"cursor": logdir.cursor, "hits": hits, "cut": False})


def _excerpt(point: TextStep, wanted: str) -> str | None:
    for one in point.texts:
        at = one.casefold().find(wanted)
        if at >= 0:
            return one[max(at - _CONTEXT, 0) : at + len(wanted) + _CONTEXT]
    return None


def download(logdir: Logdir, parameters: Mapping[str, Any]) -> Stream:
    return archive(logdir, parameters, _shown, _entries, filename="texts.zip")


def _entries(point: TextStep) -> Iterator[Entry]:
    return (Entry(one.encode(), "md") for one in point.texts)


ROUTES = (
    Route("series", series, "The texts of the chosen runs: tags and steps", "POST"),
    Route("texts", texts, "Some texts: source, and HTML that is safe to show", "POST"),
    Route("search", search, "Where words occur in the texts of the chosen runs", "POST"),
    Download("zip", download, "Some texts, or every step of some, as one zip"),
)
