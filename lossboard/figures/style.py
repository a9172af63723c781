"""Colors, opacities and dashes of figures. They are the light theme of the board, `ui/src/base/tokens.css`."""

from __future__ import annotations

SURFACE = "#ffffff"
INK = "#16181d"
INK_2 = "#474d59"
INK_3 = "#676e7b"
GRID = "#eceef1"
AXIS = "#cdd1d8"
RUN_COLORS = (
    "#2d6bd8", "#d77e14", "#603700", "#3d9cd3", "#73519d", "#096d5d",
    "#89949e", "#063298", "#81005a", "#997401", "#f15f7f", "#3e9663",
)  # fmt: skip
RAW_ALPHA = 0.3
BAND_ALPHA = 0.18
DASHES: tuple[tuple[float, ...], ...] = ((), (4.0, 2.0), (1.2, 1.6), (6.0, 2.0, 1.2, 2.0))
"""Of the second tag and so on, in points."""


def run_color(number: int) -> str:
    return RUN_COLORS[number % len(RUN_COLORS)]
