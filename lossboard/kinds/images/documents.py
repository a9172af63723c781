"""JSON documents of the image routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.kinds.media import MediaSeries


class ImageSeries(MediaSeries):
    """Images of one tag. Samples and sizes are those of the newest step."""

    samples: NotRequired[int]
    width: NotRequired[int]
    height: NotRequired[int]
    mime: NotRequired[str]


class ImageSeriesList(TypedDict):
    cursor: int
    series: list[ImageSeries]
