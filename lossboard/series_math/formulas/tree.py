"""Typed tree of a formula. Every node is a number or a series, and that is known before any data is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from lossboard.series_math.formulas.functions import Function
from lossboard.syntax.place import Place


@dataclass(frozen=True, slots=True)
class Number:
    value: float
    place: Place

    @property
    def is_series(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Tag:
    name: str
    place: Place

    @property
    def is_series(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Call:
    """A function of series and numbers. Operators are functions, too."""

    function: Function
    args: tuple[Node, ...]
    place: Place
    is_series: bool


Node: TypeAlias = Number | Tag | Call


def tags_of(node: Node) -> Iterator[Tag]:
    """Yields the tags that a formula reads, in the order of its text."""
    match node:
        case Tag():
            yield node
        case Call(args=args):
            for arg in args:
                yield from tags_of(arg)
