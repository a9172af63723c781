"""Figures as SVG. Text stays text, so that it can be searched and edited."""

from __future__ import annotations

from xml.sax.saxutils import escape

from lossboard.figures.shapes import Area, Figure, Floats, Line, Shape, Text
from lossboard.figures.style import SURFACE

_FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_MIDDLE_OF_TEXT = 0.35
"""From the baseline to the middle of a digit, in font sizes. Not every program knows SVG's own alignment."""


def to_svg(figure: Figure) -> str:
    width, height = _number(figure.width), _number(figure.height)
    left, top, right, bottom = figure.plot
    plot = f'x="{_number(left)}" y="{_number(top)}" width="{_number(right - left)}" height="{_number(bottom - top)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}pt" height="{height}pt" '
        f'viewBox="0 0 {width} {height}" font-family="{_FONT}">',
        f'<rect width="{width}" height="{height}" fill="{SURFACE}"/>',
        f'<clipPath id="plot"><rect {plot}/></clipPath>',
        *map(_element, figure.shapes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _element(shape: Shape) -> str:
    match shape:
        case Line():
            dash = f' stroke-dasharray="{" ".join(map(_number, shape.dash))}"' if shape.dash else ""
            clip = ' clip-path="url(#plot)"' if shape.is_clipped else ""
            return (
                f'<path d="{_path(shape.x, shape.y)}" fill="none" stroke="{shape.color}" stroke-linejoin="round" '
                f'stroke-width="{_number(shape.width)}" stroke-opacity="{_number(shape.alpha)}"{dash}{clip}/>'
            )
        case Area():
            path = _path(shape.x, shape.y)
            return f'<path d="{path}Z" fill="{shape.color}" fill-opacity="{shape.alpha}" clip-path="url(#plot)"/>'
        case Text():
            weight = ' font-weight="600"' if shape.is_bold else ""
            y = shape.y + _MIDDLE_OF_TEXT * shape.size
            return (
                f'<text x="{_number(shape.x)}" y="{_number(y)}" font-size="{_number(shape.size)}"{weight} '
                f'text-anchor="{_ANCHORS[shape.align]}" fill="{shape.color}">{escape(shape.text)}</text>'
            )


def _path(x: Floats, y: Floats) -> str:
    return "M" + "L".join(f"{_number(a)} {_number(b)}" for a, b in zip(x.tolist(), y.tolist(), strict=True))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
