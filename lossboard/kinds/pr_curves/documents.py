"""JSON documents of the PR curve routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.kinds.batches import Missing
from lossboard.kinds.media import MediaSeries


class PrSeries(MediaSeries):
    """PR curves of one tag. The number of thresholds is that of the newest step."""

    thresholds: NotRequired[int]


class PrSeriesList(TypedDict):
    cursor: int
    series: list[PrSeries]


class PrCurveHead(TypedDict):
    """One curve. What its counts do not determine is null."""

    step: int
    wall: float
    drawn: int
    positives: float | None
    others: float | None
    area: float | None
    roc_area: float | None


class PrCurvesHead(TypedDict):
    cursor: int
    curves: list[PrCurveHead | Missing]


class PrHistoryHead(TypedDict):
    """Measures of one series by step. `skipped` points cannot be decoded."""

    steps: int
    skipped: int


class PrHistoriesHead(TypedDict):
    cursor: int
    series: list[PrHistoryHead | Missing]
