"""JSON documents of facts, queries and groups. `server/contract.py` makes TypeScript interfaces of them."""

from __future__ import annotations

from typing import Literal, NotRequired, TypeAlias, TypedDict

from lossboard.kinds.json_numbers import JsonNumber
from lossboard.syntax.errors import QueryProblem

FactJson: TypeAlias = bool | float | str | None
"""A fact of a run. It is null if the run lacks it, and numbers that JSON cannot represent are strings."""


class LackedFact(TypedDict):
    """A fact that some runs lack. The query leaves out `runs` only for that, and `including` selects them too."""

    field: str
    runs: int
    including: str


class QueryResponse(TypedDict):
    """The runs that a query selects, in the order of the board, or null if it has a problem."""

    cursor: int
    runs: list[str] | None
    lacking: list[LackedFact]
    problem: QueryProblem | None


class CompletionRow(TypedDict):
    """A text that can stand at the caret. `detail` describes it: its type, and how many runs have it."""

    text: str
    kind: Literal["name", "function", "metric", "value", "operator", "keyword"]
    detail: str


class CompletionList(TypedDict):
    """Texts that can replace the part of the query from `start` to `end`."""

    cursor: int
    start: int
    end: int
    completions: list[CompletionRow]


class FieldRow(TypedDict):
    """A fact that runs have. `field` is how a query names it.

    A metric is listed once, with its last value as `field`. `constant` is the value that all runs share. `best` says
    which values are better, if the metric's name tells.
    """

    field: str
    name: str
    source: Literal["run", "hp", "metric"]
    type: str
    runs: int
    detail: NotRequired[str]
    constant: NotRequired[FactJson]
    best: NotRequired[Literal["min", "max"]]


class FieldList(TypedDict):
    """Facts that a search finds. `total` also counts those beyond the limit."""

    cursor: int
    total: int
    fields: list[FieldRow]


class FactColumn(TypedDict):
    """A column of facts. `texts` are its different texts, to which its codes refer.

    `runs` is the number of runs that have a value. `best` says which values are better, if the metric's name tells.
    """

    field: str
    type: str
    runs: int
    constant: bool
    texts: NotRequired[list[str]]
    best: NotRequired[Literal["min", "max"]]


class BrokenColumn(TypedDict):
    """A column that was requested, but that no run has."""

    field: str
    problem: QueryProblem


class FactsHead(TypedDict):
    """Columns of facts about the runs with these ids. Each column without a problem has a table."""

    cursor: int
    runs: list[str]
    columns: list[FactColumn | BrokenColumn]


class GroupedBy(TypedDict):
    """A fact that runs are grouped by: as requested, and how a query names it in any logdir."""

    name: str
    field: str
    type: str


class GroupMean(TypedDict):
    """Mean of a fact over a group, and half the width of its 95 % t interval. `n` runs have a finite value."""

    mean: JsonNumber
    half: JsonNumber
    n: int


class GroupRow(TypedDict):
    """Runs whose facts are equal. `key` has the facts in the order of `by`."""

    key: list[FactJson]
    runs: list[str]
    mean: NotRequired[GroupMean]


class GroupsResponse(TypedDict):
    """Groups of runs, ordered by their facts. With a problem, there are none."""

    cursor: int
    by: list[GroupedBy]
    groups: list[GroupRow]
    problem: QueryProblem | None


class SeedsResponse(TypedDict):
    """Runs that differ only in their seed. Grouping by `by` puts them together. Null if there are none."""

    cursor: int
    seed: str | None
    by: str
    groups: list[list[str]]
