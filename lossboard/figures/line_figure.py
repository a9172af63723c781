"""Layout of a line figure: axes with ticks, lines with bands, and a legend below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lossboard.errors import UsageError
from lossboard.figures.shapes import Area, Box, Figure, Floats, Line, Shape, Text
from lossboard.figures.style import AXIS, BAND_ALPHA, GRID, INK, INK_2, INK_3, RAW_ALPHA
from lossboard.figures.ticks import linear_ticks, log_ticks

_EDGE = 6.0
_CHAR_WIDTH = 0.56
"""Width of a character in font sizes. Text is not measured, because the fonts of a reader are not known."""
_LINE_HEIGHT = 1.6
_KEY_WIDTH = 14.0
_MAX_LEGEND_ENTRIES = 40
_MARGIN = 0.04
_OUTSIDE = 10.0
_MOST_BELOW = 3.0
"""How far a band may extend a logarithmic axis below the lowest line, as a factor."""
_TICK_SPACE = 42.0
"""Points between two ticks, about."""


@dataclass(frozen=True)
class Curve:
    """A line of the figure, with a band or with the values before smoothing."""

    x: Floats
    y: Floats
    color: str
    dash: tuple[float, ...] = ()
    low: Floats | None = None
    high: Floats | None = None
    raw: Floats | None = None


@dataclass(frozen=True)
class LegendEntry:
    label: str
    color: str
    dash: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FigureOptions:
    """Size in inches, as matplotlib's `figsize`; the font size in points."""

    size: tuple[float, float] = (5.0, 3.2)
    font_size: float = 8.0
    line_width: float = 1.2
    title: str = ""
    x_name: str = "step"
    y_name: str = ""
    log_x: bool = False
    log_y: bool = False
    y_range: tuple[float, float] | None = None


class _Axis:
    """A scale from values to points of the figure, with its ticks."""

    def __init__(self, low: float, high: float, start: float, end: float, *, is_log: bool) -> None:
        wanted = max(2, round(abs(end - start) / _TICK_SPACE))
        self.ticks = (log_ticks if is_log else linear_ticks)(low, high, wanted)
        self._is_log = is_log
        self._low, self._high = self._scaled(np.array([low, high])).tolist()
        self._start, self._end = start, end

    def _scaled(self, values: Floats) -> Floats:
        if not self._is_log:
            return values
        return np.log10(np.where(values > 0, values, np.nan))

    def place(self, values: Floats) -> Floats:
        part = (self._scaled(values) - self._low) / ((self._high - self._low) or 1.0)
        placed: Floats = self._start + part * (self._end - self._start)
        return placed

    def place_one(self, value: float) -> float:
        return float(self.place(np.array([value]))[0])


def line_figure(curves: Sequence[Curve], legend: Sequence[LegendEntry], options: FigureOptions) -> Figure:
    """Returns the shapes of a figure. Raises UsageError if there is nothing to draw."""
    width, height = (72 * inches for inches in options.size)
    size = options.font_size
    x_range = _x_range(curves, options)
    y_range = options.y_range or _y_range(curves, options)
    columns, rows = _legend_grid(legend, width, size)
    top = _EDGE + (size * 2.2 if options.title else size * 0.8)
    bottom = height - _EDGE - size * _LINE_HEIGHT * (rows + 2.2)
    if bottom - top < 3 * size:
        raise UsageError(
            f"The figure is too small for its legend of {rows} lines. Set a larger --size, or --no-legend."
        )
    y_axis = _Axis(*y_range, bottom, top, is_log=options.log_y)
    left = _EDGE + size * (max((len(label) for _, label in y_axis.ticks), default=0) * _CHAR_WIDTH + 0.8)
    plot = Box(left, top, width - _EDGE - size, bottom)
    x_axis = _Axis(*x_range, plot.left, plot.right, is_log=options.log_x)
    shapes = _axes(x_axis, y_axis, plot, options)
    for curve in curves:
        shapes += _curve(curve, x_axis, y_axis, plot, options.line_width)
    shapes += _legend(legend, columns, Box(_EDGE, bottom + size * _LINE_HEIGHT * 2.9, width - _EDGE, height), options)
    if options.title:
        shapes.append(Text(_EDGE, _EDGE + size * 0.7, options.title, size * 1.25, INK, is_bold=True))
    return Figure(width, height, plot, shapes)


def _x_range(curves: Sequence[Curve], options: FigureOptions) -> tuple[float, float]:
    x = np.concatenate([curve.x for curve in curves]) if curves else np.empty(0)
    x = x[np.isfinite(x) & (x > 0)] if options.log_x else x[np.isfinite(x)]
    if not len(x):
        raise UsageError(
            "The runs have no points to draw." + (" A log axis needs steps above 0." if options.log_x else "")
        )
    low, high = float(x.min()), float(x.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5) if not options.log_x else (low / 2, high * 2)


def _y_range(curves: Sequence[Curve], options: FigureOptions) -> tuple[float, float]:
    """Returns the range of lines and bands. Values before smoothing may leave the figure."""
    lines = _usable([curve.y for curve in curves], options)
    if not len(lines):
        needs = "values above 0, as a logarithmic axis needs them" if options.log_y else "finite values"
        raise UsageError(f"No run has {needs}.")
    bands = _usable([edge for curve in curves for edge in (curve.low, curve.high) if edge is not None], options)
    if options.log_y:  # an interval that almost reaches 0 would take most of the axis
        bands = bands[bands > lines.min() / _MOST_BELOW]
    values = np.concatenate([lines, bands])
    low, high = float(values.min()), float(values.max())
    if not options.log_y:
        return _with_margin(low, high)
    return (low, high) if high > low else (low / 2, high * 2)


def _with_margin(low: float, high: float) -> tuple[float, float]:
    """Returns a range that is a little wider. It stays on its side of 0."""
    margin = (high - low) * _MARGIN or abs(low) * 0.1 or 1.0
    return low - margin if low - margin >= 0 or low < 0 else 0.0, high + margin


def _usable(columns: Sequence[Floats], options: FigureOptions) -> Floats:
    values = np.concatenate([*columns, np.empty(0)])
    usable: Floats = values[np.isfinite(values) & (values > 0)] if options.log_y else values[np.isfinite(values)]
    return usable


def _axes(x_axis: _Axis, y_axis: _Axis, plot: Box, options: FigureOptions) -> list[Shape]:
    size = options.font_size
    shapes: list[Shape] = []
    for value, label in y_axis.ticks:
        y = y_axis.place_one(value)
        if y < plot.bottom - 1:  # the x axis takes the place of a grid line this close to it
            shapes.append(_straight(plot.left, y, plot.right, y, GRID))
        shapes.append(Text(plot.left - size * 0.6, y, label, size, INK_3, "right"))
    shapes.append(_straight(plot.left, plot.bottom, plot.right, plot.bottom, AXIS))
    for value, label in x_axis.ticks:
        shapes.append(Text(x_axis.place_one(value), plot.bottom + size * 1.2, label, size, INK_3, "center"))
    names = plot.bottom + size * _LINE_HEIGHT * 1.7
    shapes.append(Text(plot.right, names, options.x_name, size, INK_2, "right"))
    shapes.append(Text(plot.left, names, options.y_name, size, INK_2))
    return shapes


def _straight(x0: float, y0: float, x1: float, y1: float, color: str) -> Line:
    return Line(np.array([x0, x1]), np.array([y0, y1]), color, 0.6)


def _curve(curve: Curve, x_axis: _Axis, y_axis: _Axis, plot: Box, width: float) -> list[Shape]:
    x, shapes = x_axis.place(curve.x), list[Shape]()
    if curve.low is not None and curve.high is not None:
        low, high = (_band_edge(edge, y_axis, plot) for edge in (curve.low, curve.high))
        for part in _finite_parts(x, low, high):
            outline = np.concatenate([low[part], high[part][::-1]])
            shapes.append(Area(np.concatenate([x[part], x[part][::-1]]), outline, curve.color, BAND_ALPHA))
    lines = [Line(x, y_axis.place(curve.y), curve.color, width, curve.dash, is_clipped=True)]
    if curve.raw is not None:
        lines.insert(0, Line(x, y_axis.place(curve.raw), curve.color, width * 0.7, alpha=RAW_ALPHA, is_clipped=True))
    for line in lines:
        for part in _finite_parts(line.x, line.y):
            kept_x, kept_y = _thin(line.x[part], line.y[part], plot)
            shapes.append(replace(line, x=kept_x, y=kept_y))
    return shapes


def _band_edge(edge: Floats, axis: _Axis, plot: Box) -> Floats:
    """Returns an edge of a band. On a logarithmic axis, one at or below 0 lies below the plot."""
    placed = np.where(np.isfinite(edge) & ~np.isfinite(axis.place(edge)), np.inf, axis.place(edge))
    return np.clip(placed, plot.top - _OUTSIDE, plot.bottom + _OUTSIDE)


def _finite_parts(*columns: Floats) -> list[slice]:
    """Returns the stretches in which every column is finite. A line is broken in between."""
    finite = np.isfinite(columns).all(axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], finite, [False]]).astype(np.int8)))
    return [slice(int(start), int(end)) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def _thin(x: Floats, y: Floats, plot: Box) -> tuple[Floats, Floats]:
    """Returns the first, lowest, highest and last value of each quarter of a point, which looks the same in print."""
    columns = math.ceil((plot.right - plot.left) * 4)
    if len(x) <= 4 * columns:
        return x, y
    column = np.floor((x - plot.left) * 4)
    starts = np.flatnonzero(np.diff(column, prepend=column[0] - 1))
    order = np.lexsort((y, column))
    ends = np.append(starts[1:], len(x)) - 1
    kept = np.unique(np.concatenate([starts, ends, order[starts], order[ends]]))
    return x[kept], y[kept]


def _legend_grid(legend: Sequence[LegendEntry], width: float, size: float) -> tuple[int, int]:
    """Returns the columns and rows of the legend."""
    shown = legend[: _MAX_LEGEND_ENTRIES + 1]
    longest = max((len(entry.label) for entry in shown), default=0)
    columns = max(1, int((width - 2 * _EDGE) // (longest * size * _CHAR_WIDTH + _KEY_WIDTH + size * 1.5)))
    return columns, math.ceil(len(shown) / columns)


def _legend(legend: Sequence[LegendEntry], columns: int, box: Box, options: FigureOptions) -> list[Shape]:
    size, shapes = options.font_size, list[Shape]()
    for number, entry in enumerate(legend[: _MAX_LEGEND_ENTRIES + 1]):
        x = box.left + (number % columns) * (box.right - box.left) / columns
        y = box.top + (number // columns) * size * _LINE_HEIGHT
        if number == _MAX_LEGEND_ENTRIES:
            shapes.append(Text(x, y, f"and {len(legend) - number} more", size, INK_3))
            break
        key = Line(np.array([x, x + _KEY_WIDTH]), np.array([y, y]), entry.color, options.line_width * 1.4, entry.dash)
        shapes += [key, Text(x + _KEY_WIDTH + size * 0.5, y, entry.label, size, INK)]
    return shapes
