"""JSON documents of the skeleton routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.kinds.media import MediaSeries


class SkeletonSeries(MediaSeries):
    """Skeletons of one tag. The shape is that of the newest step."""

    shape: NotRequired[tuple[int, ...]]


class SkeletonSeriesList(TypedDict):
    cursor: int
    series: list[SkeletonSeries]
