"""Check: one function with a code that looks for one kind of problem. Also the helpers that the checks share.

The docstring of a check says what it detects, `why` why that matters, and `advice` what to do. A check returns an
observation, or None if there is no problem. docs/data-checks.md has the same texts, and a test compares them.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from lossboard.findings import Evidence, Severity
from lossboard.train.data.split import Split
from lossboard.train.preparation.checks.context import CheckContext

MAX_LOCATIONS = 5


@dataclass(frozen=True)
class Observation:
    """Result of a check: its severity, a message, a few locations to look at, and the numbers behind the message."""

    severity: Severity
    message: str
    locations: tuple[str, ...] = ()
    evidence: Evidence = field(default_factory=dict)


@dataclass(frozen=True)
class Check:
    """A registered check."""

    code: str
    detects: str
    why: str
    advice: str
    run: Callable[[CheckContext], Observation | None]


# In the order in which the modules of checks define them.
CHECKS: list[Check] = []


def check(code: str, *, why: str, advice: str) -> Callable[[Callable[[CheckContext], Observation | None]], Check]:
    """Registers the decorated function as a check."""

    def register(run: Callable[[CheckContext], Observation | None]) -> Check:
        registered = Check(code, run.__doc__ or "", why, advice, run)
        CHECKS.append(registered)
        return registered

    return register


def observe_if(
    condition: object, severity: Severity, message: str, locations: Iterable[str] = (), **evidence: float | int | str
) -> Observation | None:
    """Returns an observation if the condition holds. Only the first few locations are kept."""
    return Observation(severity, message, tuple(islice(locations, MAX_LOCATIONS)), evidence) if condition else None


def examples(number: int) -> str:
    return "1 example" if number == 1 else f"{number} examples"


def class_counts(context: CheckContext, split: Split) -> Counter[int] | None:
    """Returns the number of examples with each class that occurs. None if the labels are no classes."""
    counts = context.data.task.class_counts(split.labels)
    return None if counts is None else Counter({int(i): int(counts[i]) for i in counts.nonzero()[0]})
