"""JSON documents of the findings routes."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from lossboard.findings import Severity


class FindingRow(TypedDict):
    """One finding. `tag` and the steps say where it applies, and `places` are rows of data files."""

    run: str
    code: str
    severity: Severity
    tag: NotRequired[str]
    first_step: NotRequired[int]
    last_step: NotRequired[int]
    what: str
    evidence: dict[str, float | str]
    why: str
    advice: str
    places: NotRequired[list[str]]


class FindingList(TypedDict):
    """The findings of the selected runs, by run, the most severe first."""

    cursor: int
    findings: list[FindingRow]


class FindingCount(TypedDict):
    """Number of findings of a run, and the severity of the worst."""

    count: int
    severity: Severity
