"""JSON documents of the text routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.kinds.batches import Missing
from lossboard.kinds.media import MediaSeries


class TextSeries(MediaSeries):
    """Texts of one tag. The shape is that of the newest step."""

    shape: NotRequired[tuple[int, ...]]


class TextSeriesList(TypedDict):
    cursor: int
    series: list[TextSeries]


class Text(TypedDict):
    """One text. `html` is sanitized, and null if the source is to be shown. `cut` is true if `texts` was truncated."""

    step: int
    wall: float
    texts: list[str]
    shape: tuple[int, ...]
    html: str | None
    cut: bool


class TextList(TypedDict):
    cursor: int
    texts: list[Text | Missing]


class SearchHit(TypedDict):
    run: str
    tag: str
    step: int
    excerpt: str


class SearchResult(TypedDict):
    """Texts that contain the search text. `cut` is true if there are more hits."""

    cursor: int
    hits: list[SearchHit]
    cut: bool
