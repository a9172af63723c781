"""Custom scalar layouts: a string tensor that holds one serialized Layout.

    Layout    version 1 · category 2
    Category  title 1 · chart 2 · closed 3
    Chart     title 1 · multiline 2 {tag 1 …} | margin 3 {series 1 {value 1, lower 2, upper 3}}

The tags of a multiline chart are regular expressions, matched from the start of a tag.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.events.summary import Value
from lossboard.events.tensors import Tensor
from lossboard.events.wire import Buffer, Message
from lossboard.kinds.series import Point, Series, series_of

if TYPE_CHECKING:
    from lossboard.store.run import Run

CONFIG_TAG = "custom_scalars__config__"


@dataclass(frozen=True, slots=True)
class Margin:
    """A line with a band around it, each by tag."""

    value: str
    lower: str
    upper: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Either the tags that match one of `multiline`, or the bands of `margin`. The other is None."""

    title: str
    multiline: tuple[str, ...] | None
    margin: tuple[Margin, ...] | None


@dataclass(frozen=True, slots=True)
class Category:
    title: str
    closed: bool
    charts: tuple[Chart, ...]


@dataclass(frozen=True, slots=True)
class LayoutStep(Point):
    """One layout."""

    categories: tuple[Category, ...]

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> LayoutStep:
        return cls(step, wall_time, hidden, layout(Tensor.of(Value.parse(data)).string()))


def layout(data: Buffer) -> tuple[Category, ...]:
    """Returns the categories of a serialized Layout."""
    return tuple(
        Category(category.text(1), category.flag(3), tuple(map(_chart, category.messages(2))))
        for category in Message(data).messages(2)
    )


def _chart(message: Message) -> Chart:
    content = message.last_of(2, 3)
    multiline = tuple(message.message(2).texts(1)) if content == 2 else None
    margin = None
    if content == 3:
        margin = tuple(Margin(s.text(1), s.text(2), s.text(3)) for s in message.message(3).messages(1))
    return Chart(message.text(1), multiline, margin)


def custom_scalars(run: Run, tag: str = CONFIG_TAG, *, attempts: bool = False) -> Series[LayoutStep]:
    return series_of(run, "custom_scalars", tag, LayoutStep.parse, attempts=attempts)
