"""JSON documents of the attention routes."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from lossboard.kinds.media import MediaSeries


class AttentionSeries(MediaSeries):
    """A series, with the tokens at its newest step."""

    tokens: NotRequired[list[str]]


class AttentionSeriesList(TypedDict):
    cursor: int
    series: list[AttentionSeries]


class AttentionLayer(TypedDict):
    """The logged heads of a layer, by their positions in the model."""

    layer: int
    heads: list[int]
    kv_heads: NotRequired[int]


class AttentionOverview(TypedDict):
    """One text at one step. `thumbnail` is the size of a head in the first table, `problems` what cannot be read."""

    tokens: list[str]
    keys: list[str]
    kind: Literal["self", "cross"]
    causal: bool
    grid: NotRequired[tuple[int, int]]
    layers: list[AttentionLayer]
    thumbnail: tuple[int, int]
    maps: bool
    measures: list[str]
    problems: list[str]


class AttentionMap(TypedDict):
    """Size of the map in the table."""

    queries: int
    keys: int


class AttentionChange(TypedDict):
    """How the heads of two steps differ. `largest` is the largest difference of a weight.

    `refused` says why they cannot be compared. Then no head has a divergence.
    """

    refused: NotRequired[str]
    largest: float
    queries: int
    compared: int
    problems: list[str]


class AttentionCurves(TypedDict):
    """One measure over the steps. The table has steps × heads."""

    cursor: int
    measure: str
    steps: list[int]
    heads: int
    skipped: int
