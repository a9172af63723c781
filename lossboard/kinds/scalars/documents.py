"""JSON documents of the scalar routes."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from lossboard.kinds.json_numbers import JsonNumber
from lossboard.syntax.errors import QueryProblem


class ChartPoint(TypedDict):
    """One exact point. `relative` is in seconds since the start of the run."""

    step: int
    wall: JsonNumber
    relative: JsonNumber
    value: JsonNumber
    smoothed: JsonNumber


class ChartMark(TypedDict):
    """Non-finite values at an x."""

    x: float
    step: int
    what: Literal["nan", "inf", "-inf"]
    count: int


class BestPoint(TypedDict):
    """The smallest or largest value of a line within the requested range, at its first step."""

    x: float
    step: int
    value: float
    direction: Literal["min", "max"]


class FormulaProblem(QueryProblem):
    """Why a formula has no lines. It cannot be parsed, or no selected run has its tags."""

    formula: str


class ChartLine(TypedDict):
    """One line of a chart. The tag of a formula is `=` and its text. A hidden line is an earlier attempt that a restart
    superseded.
    """

    run: str
    tag: str
    points: int
    smoothed: bool
    hidden: NotRequired[bool]
    last: ChartPoint
    marks: list[ChartMark]
    restarts: list[float]
    best: NotRequired[BestPoint]


class Density(TypedDict):
    """Image of the lines beyond `max_lines`."""

    width: int
    height: int
    y: tuple[float, float]
    scale: Literal["linear", "log"]
    lines: int


class ChartHead(TypedDict):
    """One chart. `cells` is the number of grid rows, and so of the points of each line.

    `more` is set if the density was deferred. `reads` are the tags that formulas read.
    """

    key: str
    exact: bool
    points: int
    drawn: int
    cells: int
    x: tuple[float, float]
    lines: list[ChartLine]
    density: NotRequired[Density]
    more: NotRequired[Literal[True]]
    problems: NotRequired[list[FormulaProblem]]
    reads: NotRequired[list[str]]


class UnchangedChart(TypedDict):
    """A chart that has not changed since the cursor of the request."""

    key: str
    unchanged: Literal[True]


class ChartsHead(TypedDict):
    cursor: int
    charts: list[ChartHead | UnchangedChart]


class GroupPoint(TypedDict):
    """Line and band of a group at a step, and the number of runs behind them."""

    step: int
    value: JsonNumber
    low: JsonNumber
    high: JsonNumber
    n: int


class GroupExtreme(TypedDict):
    """The smallest or largest value of a line within the requested range, at its first step."""

    step: int
    value: float


class ChangeOfRuns(TypedDict):
    """A step at which another number of runs is behind a line than before."""

    x: int
    before: int
    after: int


class GroupLine(TypedDict):
    """A group of runs as one line. `runs` have the tag.

    `non_finite` is the largest number of runs that are left out at a step, because their value there is not finite.
    """

    group: str
    tag: str
    runs: list[str]
    points: int
    smoothed: bool
    last: GroupPoint
    min: GroupExtreme | None
    max: GroupExtreme | None
    changes: list[ChangeOfRuns]
    non_finite: int
    best: NotRequired[BestPoint]


class GroupChartHead(TypedDict):
    """One chart of groups. `cells` is the number of grid rows."""

    key: str
    exact: bool
    cells: int
    x: tuple[float, float]
    lines: list[GroupLine]
    problems: NotRequired[list[FormulaProblem]]
    reads: NotRequired[list[str]]


class GroupChartsHead(TypedDict):
    cursor: int
    charts: list[GroupChartHead | UnchangedChart]


class AtLine(ChartPoint):
    """The point of a line that is nearest to an x."""

    run: str
    tag: str
    x: float


class AtChart(TypedDict):
    """Points at an x. `total` is the number of lines there, of which a request with `near` returns a part."""

    key: str
    total: int
    lines: list[AtLine]


class AtResponse(TypedDict):
    cursor: int
    charts: list[AtChart]


class ExtremePoint(TypedDict):
    x: float
    step: int
    value: JsonNumber


class LineExtremes(TypedDict):
    """Minimum, maximum and first non-finite value of a line within a range of x."""

    run: str
    tag: str
    min: ExtremePoint | None
    max: ExtremePoint | None
    non_finite: ExtremePoint | None


class ExtremesChart(TypedDict):
    key: str
    lines: list[LineExtremes]


class ExtremesResponse(TypedDict):
    cursor: int
    charts: list[ExtremesChart]


class PointsHead(TypedDict):
    cursor: int
    points: int


class FormulaResponse(TypedDict):
    """What is wrong with a formula, or null."""

    cursor: int
    problem: QueryProblem | None


class PresentTags(TypedDict):
    """The tags that at least one of the selected runs has."""

    cursor: int
    tags: list[str]
