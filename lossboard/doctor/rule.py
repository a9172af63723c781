"""Rule: one sign of a problem, with its thresholds, its explanation and the function that looks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from lossboard.findings import Evidence, Finding, Location, Severity

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve

Limits: TypeAlias = Mapping[str, float]
"""Thresholds by name, as the rule or `lossboard.toml` sets them."""


@dataclass(frozen=True)
class Threshold:
    value: float
    reason: str


@dataclass(frozen=True, kw_only=True)
class Observation:
    """What a rule has seen. The engine makes a finding of it."""

    run: str
    message: str
    tag: str = ""
    first_step: int | None = None
    last_step: int | None = None
    evidence: Evidence = field(default_factory=dict)
    severity: Severity | None = None
    """Only if it is not that of the rule."""
    curves: tuple[tuple[str, str], ...] = ()
    """Runs and tags that show it besides `tag`."""
    runs: tuple[str, ...] = ()
    """Only if it is about several runs."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    code: str
    title: str
    severity: Severity
    needs: tuple[str, ...]
    """Roles without which the rule cannot judge a run."""
    thresholds: Mapping[str, Threshold]
    detects: str
    quiet: str
    """What looks like it and is not reported."""
    why: str
    advice: str
    check: Callable[[Case, Limits], Iterable[Observation]]

    def limits(self, changed: Limits) -> Limits:
        return {name: changed.get(name, threshold.value) for name, threshold in self.thresholds.items()}

    def finding(self, seen: Observation) -> Finding:
        return Finding(
            code=self.code,
            severity=seen.severity or self.severity,
            message=seen.message,
            why=self.why,
            advice=self.advice,
            evidence=seen.evidence,
            location=Location(seen.runs or (seen.run,), seen.tag, seen.first_step, seen.last_step),
        )


def observe(
    curve: Curve,
    message: str,
    first_step: int,
    last_step: int,
    *,
    beside: Iterable[Curve | None] = (),
    severity: Severity | None = None,
    also: Mapping[str, float] | None = None,
    **evidence: float | int | str,
) -> Observation:
    """Returns an observation about one curve. The curves `beside` it are shown with it.

    The numbers are the evidence. `also` has those that not every run has.
    """
    return Observation(
        run=curve.run,
        tag=curve.tag,
        message=message,
        first_step=first_step,
        last_step=last_step,
        severity=severity,
        evidence={name: round_number(value) for name, value in {**evidence, **(also or {})}.items()},
        curves=tuple((one.run, one.tag) for one in beside if one is not None),
    )


def round_number(value: float | int | str) -> float | int | str:
    """Returns a number with four digits, as it is read."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def show(value: float) -> str:
    """Returns a number for a message."""
    return f"{value:.3g}"
