"""JSON documents of the tensor routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.kinds.media import MediaSeries


class TensorSeries(MediaSeries):
    """Tensors of one tag. The type and the shape are those of the newest step."""

    dtype: NotRequired[str]
    shape: NotRequired[list[int]]


class TensorSeriesList(TypedDict):
    cursor: int
    series: list[TensorSeries]


class TensorSliceHead(TypedDict):
    """Two axes of a tensor. A cell is the mean of several elements if `exact` is false. Strings have `texts`."""

    cursor: int
    step: int
    dtype: str
    shape: list[int]
    index: list[int | None]
    size: tuple[int, int]
    window: tuple[int, int, int, int]
    rows: int
    columns: int
    exact: bool
    texts: NotRequired[list[str]]


class TensorStatistics(TypedDict):
    """`min` to `std` are of the finite numbers, null if there are none. `counts` is a histogram between them."""

    cursor: int
    elements: int
    non_finite: int
    zeros: int
    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    counts: list[int]


class TensorHistoryHead(TypedDict):
    """Statistics by step. `skipped` steps cannot be read, or have another shape."""

    cursor: int
    steps: int
    skipped: int
