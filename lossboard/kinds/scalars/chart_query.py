"""Chart query: the checked parameters of a request for charts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from lossboard.errors import UsageError
from lossboard.kinds.params import get_bool, get_int, parse_interval, parse_strings
from lossboard.kinds.scalars.chart_formulas import ChartFormula
from lossboard.series_math.alignment import XAxis
from lossboard.series_math.direction import Direction, guess_direction
from lossboard.series_math.smoothing import Smoothing

if TYPE_CHECKING:
    from lossboard.kinds.scalars.baseline import Baseline

_MAX_CHARTS = 200
_MAX_TAGS = 50
_MAX_PIXELS = 8192
_MAX_LINES = 500


@dataclass(frozen=True)
class YView:
    """Range of the y axis of a density image. NaN selects it automatically."""

    lo: float = math.nan
    hi: float = math.nan
    log: bool = False


@dataclass(frozen=True)
class ChartQuery:
    key: str
    tags: tuple[str, ...]
    formulas: tuple[ChartFormula, ...]
    x: XAxis
    x_range: tuple[float, float] | None
    width: int
    height: int
    smoothing: Smoothing
    attempts: bool
    emphasised: tuple[str, ...]
    """Runs to draw as lines, the most important first."""
    max_lines: int
    y: YView
    defer_density: bool
    """Whether to leave out a density of very many lines. The response then takes about half the time."""
    best: Direction | Literal["auto"] | None = None
    """Whether each line has its smallest or largest value marked. With "auto", its tag tells which one is better."""
    baseline: Baseline | None = None

    @classmethod
    def parse(cls, question: object, baseline: Baseline | None = None) -> ChartQuery:
        if not isinstance(question, dict):
            raise UsageError('Expected each chart to be an object with "key" and "tags".')
        return cls(
            key=str(question.get("key", "")),
            tags=(tags := _tags(question.get("tags", []), "tags")),
            formulas=_formulas(question, len(tags)),
            x=XAxis.parse(question.get("x")),
            x_range=parse_interval(question.get("range"), "range"),
            width=get_int(question, "width", default=400, minimum=2, maximum=_MAX_PIXELS),
            height=get_int(question, "height", default=200, minimum=2, maximum=_MAX_PIXELS),
            smoothing=Smoothing.parse(question.get("smoothing")),
            attempts=bool(question.get("attempts", False)),
            emphasised=tuple(parse_strings(question.get("emphasised", []), "emphasised")),
            max_lines=get_int(question, "max_lines", default=60, minimum=1, maximum=_MAX_LINES),
            y=_y(question.get("y")),
            defer_density=get_bool(question, "defer_density", default=False),
            best=_best(question.get("best")),
            baseline=baseline,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Tags and formulas, as the lines of the chart name them."""
        return (*self.tags, *(formula.name for formula in self.formulas))

    def title_of(self, name: str) -> str:
        """Returns a tag or the text of a formula, for files."""
        return next((formula.text for formula in self.formulas if formula.name == name), name)

    def direction_of(self, tag: str) -> Direction | None:
        """Returns which value of a line is marked as its best."""
        return guess_direction(tag) if self.best == "auto" else self.best


def parse_charts(params: Mapping[str, Any], baseline: Baseline | None = None) -> list[ChartQuery]:
    charts = params.get("charts")
    if not isinstance(charts, list) or len(charts) > _MAX_CHARTS:
        raise UsageError(f'Expected "charts" to be a list of at most {_MAX_CHARTS} charts.')
    return [ChartQuery.parse(chart, baseline) for chart in charts]


def _tags(value: object, name: str) -> tuple[str, ...]:
    tags = parse_strings(value, name)
    if len(tags) > _MAX_TAGS:
        raise UsageError(f"Expected at most {_MAX_TAGS} {name} in a chart, got {len(tags)}.")
    return tuple(dict.fromkeys(tags))


def _formulas(question: Mapping[str, Any], tags: int) -> tuple[ChartFormula, ...]:
    texts = _tags(question.get("formulas", []), "formulas")
    if tags + len(texts) > _MAX_TAGS:
        raise UsageError(f"Expected at most {_MAX_TAGS} tags and formulas in a chart, got {tags + len(texts)}.")
    return tuple(ChartFormula.of(text) for text in texts)


def _best(value: object) -> Direction | Literal["auto"] | None:
    match value:
        case None | "min" | "max" | "auto":
            return value
    raise UsageError('Expected "best" to be "min", "max", "auto" or null.')


def _y(value: object) -> YView:
    match value:
        case None:
            return YView()
        case {**parts} if parts.get("scale", "linear") in ("linear", "log"):
            lo, hi = parse_interval(parts.get("range"), "y.range") or (math.nan, math.nan)
            return YView(lo, hi, parts.get("scale") == "log")
    raise UsageError('Expected "y" to be {"range": [lo, hi] or null, "scale": "linear" or "log"}.')
