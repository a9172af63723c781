"""Budget of chart requests: limits their memory and work before any of it starts.

A request of 150 bytes can name every run, hundreds of charts and the largest size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.limits import MAX_RESPONSE_BYTES, check_size
from lossboard.series_math.alignment import cells_for
from lossboard.series_math.points import PLUGIN

if TYPE_CHECKING:
    from lossboard.kinds.scalars.chart_formulas import Runs
    from lossboard.kinds.scalars.chart_query import ChartQuery

_MAX_LISTED_LINES = 200_000
_BYTES_PER_CELL = 16
_MAX_DENSITY_PIXELS = 2 << 20
_MAX_DENSITY_COLUMNS = 4 << 20
"""Columns of the image, times lines. Each takes 8 bytes while the image is computed."""


def check_budget(queries: Sequence[ChartQuery], *, runs: int) -> None:
    """Raises UsageError if the response could be too large, should every run have every tag."""
    # A tab of 50 charts with 60 lines each takes 10 MB.
    size = sum(_max_bytes(query, runs * len(query.names)) for query in queries)
    check_size(size, MAX_RESPONSE_BYTES, "bytes", "Request fewer charts, fewer lines or a smaller width.")


def check_lines(queries: Sequence[ChartQuery], runs: Runs) -> None:
    """Raises UsageError if a list of all lines would be too long."""
    lines = 0
    for tag in (tag for query in queries for tag in query.tags):
        check_cancelled()
        lines += sum((PLUGIN, tag) in series for _, series in runs)
        check_size(lines, _MAX_LISTED_LINES, "lines", "Request fewer charts or runs.")
    lines += len(runs) * sum(len(query.formulas) for query in queries)
    check_size(lines, _MAX_LISTED_LINES, "lines", "Request fewer charts or runs.")


def _max_bytes(query: ChartQuery, count: int) -> int:
    lines = query.max_lines if query.attempts else min(count, query.max_lines)
    width, height = density_size(count - lines, query.width, query.height) if count > lines else (0, 0)
    return lines * cells_for(lines, query.width) * _BYTES_PER_CELL + width * height * 2


def density_size(lines: int, width: int, height: int) -> tuple[int, int]:
    """Returns the size of a density image: half that of the chart, or less if the chart or its lines are many."""
    scale = min(0.5, math.sqrt(_MAX_DENSITY_PIXELS / (width * height)))
    columns = min(int(width * scale), _MAX_DENSITY_COLUMNS // max(lines, 1))
    return max(columns, 1), max(int(height * scale), 1)
