"""The colors of figures are those of the board."""

from __future__ import annotations

import re
from pathlib import Path

from lossboard.figures import style

TOKENS = Path(__file__).parents[2] / "ui/src/base/tokens.css"


def test_figures_have_the_light_theme_of_the_board() -> None:
    light = TOKENS.read_text("utf-8").partition("}")[0]
    tokens = dict(re.findall(r"--([\w-]+): ([^;]+);", light))
    names = {"surface": style.SURFACE, "ink": style.INK, "ink-2": style.INK_2, "ink-3": style.INK_3}
    names |= {"grid": style.GRID, "axis": style.AXIS}
    names |= {f"run-{number}": color for number, color in enumerate(style.RUN_COLORS, 1)}
    assert names == {name: tokens[name] for name in names}
    assert (float(tokens["raw-alpha"]), float(tokens["band-alpha"])) == (style.RAW_ALPHA, style.BAND_ALPHA)
    assert f"run-{len(style.RUN_COLORS) + 1}" not in tokens
