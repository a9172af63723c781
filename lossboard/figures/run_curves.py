"""Curves of a figure from the scalars of runs or of groups of runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lossboard.errors import UsageError, did_you_mean
from lossboard.figures.line_figure import Curve, LegendEntry
from lossboard.figures.shapes import Floats
from lossboard.figures.style import DASHES, INK_2, run_color
from lossboard.select.facts.values import FactValue
from lossboard.select.group_runs import group_runs
from lossboard.select.query.run_query import run_query
from lossboard.series_math.group_curves import Band, Center, default_band
from lossboard.series_math.points import PLUGIN, Points
from lossboard.series_math.smoothing import METHODS

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

_MAX_STEPS = 2000
_BAND_NAMES: dict[Band, str] = {
    "t": "95 % t interval",
    "sd": "standard deviation",
    "se": "standard error",
    "bootstrap": "95 % bootstrap interval",
    "minmax": "min–max",
    "quartiles": "quartiles",
    "none": "",
}


@dataclass(frozen=True)
class Curves:
    """Curves with their legend, and the name of the y axis."""

    curves: list[Curve]
    legend: list[LegendEntry]
    y_name: str


def run_curves(facts: FactTable, tags: Sequence[str], *, query: str, weight: float) -> Curves:
    """Returns a curve for each run and tag. Runs differ in color, tags in dashes."""
    _check_tags(facts, tags)
    runs = [run for run in run_query(facts, query).runs if any(run.has(PLUGIN, tag) for tag in tags)]
    curves = []
    for number, run in enumerate(runs):
        for tag, dash in zip(tags, _dashes(tags), strict=True):
            if run.has(PLUGIN, tag):
                points = Points.of(run, tag)
                raw = points.values if weight else None
                values = _smooth(points.values, weight)
                curves.append(Curve(points.steps.astype(np.float64), values, run_color(number), dash, raw=raw))
    legend = [LegendEntry(run.name, run_color(number)) for number, run in enumerate(runs)]
    return Curves(curves, legend + _tag_entries(tags), ", ".join(tags))


def group_curves(
    facts: FactTable,
    tags: Sequence[str],
    *,
    by: str,
    query: str,
    weight: float,
    center: Center,
    band: Band | None,
) -> Curves:
    """Returns a curve with a band for each group and tag. Groups differ in color, tags in dashes."""
    _check_tags(facts, tags)
    curves, colors, sizes = [], dict[str, str](), dict[str, int]()
    for tag, dash in zip(tags, _dashes(tags), strict=True):
        for group in group_runs(facts, tag, by=by, query=query, center=center, band=band, max_steps=_MAX_STEPS):
            label = _label(group.key)
            color = colors.setdefault(label, run_color(len(colors)))
            sizes[label] = max(sizes.get(label, 0), len(group.runs))
            found = group.curve
            low, high = (None, None) if band == "none" else (_smooth(found.low, weight), _smooth(found.high, weight))
            curves.append(
                Curve(found.steps.astype(np.float64), _smooth(found.center, weight), color, dash, low=low, high=high)
            )
    legend = [LegendEntry(f"{label} (n = {sizes[label]})", color) for label, color in colors.items()]
    shown = ", ".join(filter(None, [center.replace("iqm", "IQM"), _BAND_NAMES[band or default_band(center)]]))
    return Curves(curves, legend + _tag_entries(tags), f"{', '.join(tags)} ({shown})")


def _check_tags(facts: FactTable, tags: Sequence[str]) -> None:
    if len(tags) > len(DASHES):
        raise UsageError(f"A figure shows at most {len(DASHES)} tags, got {len(tags)}.")
    for tag in tags:
        if tag not in facts.metric_names:
            raise UsageError(f"No run has logged the scalar {tag}.{did_you_mean(tag, facts.metric_names)}")


def _dashes(tags: Sequence[str]) -> list[tuple[float, ...]]:
    return list(DASHES[: len(tags)])


def _tag_entries(tags: Sequence[str]) -> list[LegendEntry]:
    if len(tags) == 1:
        return []
    return [LegendEntry(tag, INK_2, dash) for tag, dash in zip(tags, _dashes(tags), strict=True)]


def _smooth(values: Floats, weight: float) -> Floats:
    return METHODS["ema"](values, weight) if weight else values


def _label(key: dict[str, FactValue | None]) -> str:
    return ", ".join(_describe(name, value) for name, value in key.items())


def _describe(name: str, value: FactValue | None) -> str:
    """Returns `lr = 0.1` for a fact, and `lr < 1e-3` or its opposite for a condition."""
    if isinstance(value, bool) and re.search("[<>=~ ]", name):
        return name if value else f"not ({name})"
    return f"{name} = {_spell(value)}"


def _spell(value: FactValue | None) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return value
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"
