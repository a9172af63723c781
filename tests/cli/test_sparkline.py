"""Sparklines of series."""

from __future__ import annotations

import numpy as np
import pytest

from lossboard.cli.sparkline import sparkline


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([], ""),
        ([5.0], "▁"),
        ([0, 1, 2, 3, 4, 5, 6, 7], "▁▂▃▄▅▆▇█"),
        ([7, 0, 7], "█▁█"),
        ([1, 1, 3, 3, 5, 5, 7, 7, 9, 9, 11, 11, 13, 13, 15, 15], "▁▂▃▄▅▆▇█"),
        ([0, np.nan, 7], "▁×█"),
        ([np.nan, np.inf], "××"),
        ([-1.7e308, 1.7e308], "▁█"),
        ([5e-324, 1e-323], "▁█"),
    ],
)
def test_each_part_is_drawn_by_its_mean(values: list[float], line: str) -> None:
    assert sparkline(np.array(values, float), 8) == line


def test_ascii_terminal_gets_ascii() -> None:
    assert sparkline(np.array([0.0, np.nan, 1.0]), 8, ascii_only=True) == "_x@"
