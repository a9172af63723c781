"""What a check is, what it returns, and the few helpers that all checks share.

A check is one function with a code; its docstring says what it detects, `why` what happens otherwise, `advice` what to
do. It returns what it saw, or None. An error means that training would fail or its score mean nothing, a warning that
it would be worse than it could be; notes are for knowing.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from lossboard.train.data.checks.context import CheckContext
from lossboard.train.data.examples import Split
from lossboard.train.data.labels import NO_LABEL

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
MAX_PLACES = 5


@dataclass(frozen=True)
class Observation:
    """What a check saw: how bad, in words with numbers, and a few places to look at."""

    severity: Severity
    what: str
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """One thing to know about the data before training."""

    code: str
    severity: Severity
    what: str
    why: str
    advice: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.severity} {self.code}: {self.what} {self.advice}"


@dataclass(frozen=True)
class Check:
    code: str
    detects: str
    why: str
    advice: str
    run: Callable[[CheckContext], Observation | None]


# In the order in which the modules of checks define them.
CHECKS: list[Check] = []


def check(code: str, *, why: str, advice: str) -> Callable[[Callable[[CheckContext], Observation | None]], Check]:
    def register(run: Callable[[CheckContext], Observation | None]) -> Check:
        found = Check(code, run.__doc__ or "", why, advice, run)
        CHECKS.append(found)
        return found

    return register


def observe_if(condition: object, severity: Severity, what: str, places: Iterable[str] = ()) -> Observation | None:
    return Observation(severity, what, tuple(islice(places, MAX_PLACES))) if condition else None


def examples(number: int) -> str:
    return "1 example" if number == 1 else f"{number} examples"


def class_counts(split: Split) -> Counter[int]:
    return Counter(label for label in split.labels if label != NO_LABEL)


def class_shares(split: Split) -> dict[int, float]:
    counts = class_counts(split)
    return {label: number / counts.total() for label, number in counts.items()}


def repeats(split: Split) -> list[list[int]]:
    """Rows of the same text, where there is more than one."""
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, key in enumerate(split.keys()):
        groups[key].append(row)
    return [rows for rows in groups.values() if len(rows) > 1]
