"""Charts of a few lines of text: a curve in braille dots between its lowest and highest value, with marked steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bits of the dots of a braille character, by column and row."""
_LOG_RATIO = 300
"""Values that span more than this are shown on a log scale, if they are positive."""


def text_chart(
    steps: NDArray[np.int64],
    values: NDArray[np.float64],
    *,
    width: int,
    height: int = 4,
    mark: tuple[int, int] | None = None,
) -> list[str]:
    """Returns the lines of a chart. The line below it marks a range of steps. Without finite values, no lines."""
    finite = np.isfinite(values)
    steps, values = steps[finite], values[finite]
    if len(values) < 2 or steps[-1] <= steps[0]:
        return []
    low, high = float(values.min()), float(values.max())
    is_log = low > 0 and high > _LOG_RATIO * low
    rows = _rows(np.log(values) if is_log else values, 4 * height)
    columns = (steps - steps[0]) / (steps[-1] - steps[0]) * (2 * width - 1)
    cells = _draw(columns.astype(np.int64), rows, width, height)
    labels = [f"{high:.3g}", *[""] * (height - 2), f"{low:.3g}"] if height > 1 else [f"{high:.3g}"]
    margin = max(len(label) for label in labels)
    lines = [f"{label:>{margin}} ┤{''.join(row)}" for label, row in zip(labels, cells, strict=True)]
    if mark is not None:
        lines.append(" " * (margin + 2) + _marks(steps, mark, width))
    return [line.rstrip() + (" log" if is_log and not row else "") for row, line in enumerate(lines)]


def _rows(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    largest = float(np.abs(values).max()) or 1.0
    scaled = values / largest  # the difference of two huge numbers is not finite
    low, high = float(scaled.min()), float(scaled.max())
    part = (high - scaled) / ((high - low) or 1.0)
    return np.clip(np.round(part * (count - 1)), 0, count - 1).astype(np.int64)


def _draw(columns: NDArray[np.int64], rows: NDArray[np.int64], width: int, height: int) -> list[list[str]]:
    """Draws each column of dots from its lowest to its highest value."""
    cells = np.zeros((height, width), np.int64)
    starts = np.flatnonzero(np.diff(columns, prepend=-1))
    tops, bottoms = np.minimum.reduceat(rows, starts), np.maximum.reduceat(rows, starts)
    for column, top, bottom in zip(columns[starts].tolist(), tops.tolist(), bottoms.tolist(), strict=True):
        for row in range(top, bottom + 1):
            cells[row // 4, column // 2] |= _DOTS[column % 2][row % 4]
    return [[chr(0x2800 + int(bits)) for bits in row] for row in cells]


def _marks(steps: NDArray[np.int64], mark: tuple[int, int], width: int) -> str:
    span = int(steps[-1] - steps[0])
    first, last = (min(max((step - int(steps[0])) * (width - 1) // span, 0), width - 1) for step in mark)
    return " " * first + ("▲" if first == last else "└" + "─" * (last - first - 1) + "┘")
