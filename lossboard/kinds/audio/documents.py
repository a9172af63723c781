"""JSON documents of the audio routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.kinds.batches import Missing
from lossboard.kinds.media import MediaSeries


class AudioSeries(MediaSeries):
    """Clips of one tag. Samples and labels are those of the newest step."""

    samples: NotRequired[int]
    labels: NotRequired[list[str]]


class AudioSeriesList(TypedDict):
    cursor: int
    series: list[AudioSeries]


class ClipHead(TypedDict):
    """One clip. `broken` says why it cannot be drawn."""

    label: str
    mime: str
    rate_hz: NotRequired[int]
    channels: NotRequired[int]
    seconds: NotRequired[float]
    broken: NotRequired[str]


class ClipsHead(TypedDict):
    cursor: int
    clips: list[ClipHead | Missing]
