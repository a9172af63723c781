"""Shapes of a figure. Lengths are in points, 1/72 inch, from the upper left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True)
class Line:
    x: Floats
    y: Floats
    color: str
    width: float
    dash: tuple[float, ...] = ()
    alpha: float = 1.0
    is_clipped: bool = False
    """Whether the part outside of the plot is left out."""


@dataclass(frozen=True)
class Area:
    """A filled polygon without an outline, only inside of the plot."""

    x: Floats
    y: Floats
    color: str
    alpha: float


@dataclass(frozen=True)
class Text:
    """A line of text. `y` is its middle."""

    x: float
    y: float
    text: str
    size: float
    color: str
    align: Literal["left", "center", "right"] = "left"
    is_bold: bool = False


Shape: TypeAlias = Line | Area | Text


@dataclass(frozen=True)
class Figure:
    width: float
    height: float
    plot: Box
    shapes: list[Shape]
