"""JSON documents of the histogram routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.kinds.batches import Missing
from lossboard.kinds.json_numbers import JsonNumber


class CardHead(TypedDict):
    """Histograms of one tag over steps, on common rows."""

    key: str
    steps: int
    skipped: int
    columns: int
    rows: int
    values: tuple[float, float]


class CardsHead(TypedDict):
    cursor: int
    cards: list[CardHead | Missing]


class Layer(TypedDict):
    """Statistics of one tag. They are missing if its first or last histogram cannot be decoded."""

    tag: str
    steps: int
    last_step: int
    change: NotRequired[JsonNumber]
    norm: NotRequired[JsonNumber]
    zeros: NotRequired[JsonNumber | None]
    spread: NotRequired[JsonNumber]


class LayersResponse(TypedDict):
    cursor: int
    runs: list[str]
    layers: dict[str, list[Layer]]
