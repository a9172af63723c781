"""JSON documents of the routes of the HParams view."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from lossboard.kinds.json_numbers import JsonNumber
from lossboard.select.documents import FactColumn, FactJson


class TrialHParam(FactColumn):
    """A hyperparameter of trials. Display name, description and domain are those that were declared."""

    name: str
    display: NotRequired[str]
    description: NotRequired[str]
    choices: NotRequired[list[FactJson]]
    interval: NotRequired[tuple[JsonNumber, JsonNumber]]


class TrialMetric(TypedDict):
    """A metric that trials have, in their own run or in the sub-run `group`. `runs` is the number of trials with it."""

    group: str
    tag: str
    runs: int
    display: NotRequired[str]
    description: NotRequired[str]
    best: NotRequired[Literal["min", "max"]]


class TrialSession(TypedDict):
    """What a trial logged with the hparams plugin."""

    group: str
    status: str


class TrialsHead(TypedDict):
    """Trials by the ids of their runs. `shown` are the positions in `metrics` of the metrics that have a table.

    The tables of the hyperparameters come first.
    """

    cursor: int
    runs: list[str]
    sessions: list[TrialSession | None]
    hparams: list[TrialHParam]
    metrics: list[TrialMetric]
    shown: list[int]


class ImportanceRow(TypedDict):
    """Importance of a hyperparameter for a metric.

    `share` is its part of the differences that all hyperparameters make, `noise` the part that a random column may
    reach. `correlation` is Spearman's; it is null for texts.
    """

    name: str
    share: float
    noise: float
    correlation: float | None
    log: bool
    runs: int


class ImportanceResponse(TypedDict):
    """Importance of the hyperparameters, the largest first. `runs` have the metric; in `failed` of them it is not
    finite. With fewer than `needed` runs there are no rows."""

    cursor: int
    runs: int
    failed: int
    needed: int
    rows: list[ImportanceRow]
