"""JSON documents of the findings routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.findings import Severity


class CurveRow(TypedDict):
    """A series of scalars, by the id of its run."""

    run: str
    tag: str


class FindingRow(TypedDict):
    """One finding. `tag` and the steps say where it applies, and `places` are rows of data files.

    `title` says in a few words what a code of the doctor means. `key` identifies it among the findings of its run while
    the run grows. `curves` are the series that show it. `runs` are all runs that it is about, if they are several.
    """

    run: str
    runs: NotRequired[list[str]]
    key: str
    code: str
    title: NotRequired[str]
    severity: Severity
    tag: NotRequired[str]
    first_step: NotRequired[int]
    last_step: NotRequired[int]
    what: str
    evidence: dict[str, float | str]
    why: str
    advice: str
    places: NotRequired[list[str]]
    curves: list[CurveRow]


class UnjudgedRow(TypedDict):
    """A series that some trainings did not log, what could be judged with it, and how to log it."""

    role: str
    codes: list[str]
    trainings: int
    snippet: str


class FindingList(TypedDict):
    """The findings of the selected runs, by run, the most severe first, and what could not be judged."""

    cursor: int
    findings: list[FindingRow]
    trainings: int
    unjudged: list[UnjudgedRow]


class RoleRow(TypedDict):
    """What the doctor took series for."""

    role: str
    curves: list[CurveRow]


class RoleList(TypedDict):
    """The series of a run's training by role."""

    roles: list[RoleRow]


class FindingCount(TypedDict):
    """Number of findings of a run that are not dismissed, and the severity of the worst."""

    count: int
    severity: Severity
