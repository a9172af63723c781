"""All findings of a logdir: those of the rules, and those that training itself reported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lossboard.doctor.engine import Checked, Diagnosis, Doctor, worst_first
from lossboard.doctor.roles import ROLES, Ref
from lossboard.doctor.settings import read_settings
from lossboard.kinds.findings.decode import findings_of
from lossboard.store.series_index import SeriesIndex

if TYPE_CHECKING:
    from lossboard.findings import Finding
    from lossboard.store.annotations import Annotations
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

_ESSENTIAL_ROLES = ("train_loss", "val_loss", "gradient_norm")
"""Roles that nearly every training can log. Of the others, nothing is said when they are missing."""


@dataclass(frozen=True)
class Unjudged:
    """A role that some trainings lack, the codes that need it, and the code that logs it."""

    role: str
    codes: tuple[str, ...]
    trainings: int
    snippet: str


def create_doctor(logdir: Logdir, index: SeriesIndex | None = None) -> Doctor:
    """Returns a doctor with the settings of the logdir. Raises UsageError if its `lossboard.toml` has an error."""
    return Doctor(logdir, index or SeriesIndex(), read_settings(logdir.roots[0].folder))


def diagnoses(runs: Iterable[Run], checked: Iterable[Checked]) -> list[Diagnosis]:
    """Returns the findings about runs, in the order of the runs, and the most severe of each run first."""
    of_run: dict[str, list[Diagnosis]] = {}
    losses: dict[str, tuple[Ref, ...]] = {}
    for one in checked:
        losses |= {name: one.roles.get("train_loss", ()) for name, _ in one.subject.runs}
        for diagnosis in one.diagnoses:
            for name in diagnosis.finding.location.runs:
                of_run.setdefault(name, []).append(diagnosis)
    found = [
        diagnosis
        for run in runs
        for diagnosis in sorted(
            (*of_run.get(run.name, ()), *_reported(run, losses.get(run.name, ()))),
            key=worst_first,
        )
    ]
    return list({id(one): one for one in found}.values())  # a finding about several runs is listed once


def without_dismissed(found: Iterable[Diagnosis], logdir: Logdir, annotations: Annotations) -> list[Diagnosis]:
    """Leaves out the findings that a person marked as not a problem on the board."""
    return [one for one in found if not _is_dismissed(one, logdir, annotations)]


def _is_dismissed(one: Diagnosis, logdir: Logdir, annotations: Annotations) -> bool:
    runs = [logdir.runs[name] for name in one.finding.location.runs if name in logdir.runs]
    return bool(runs) and all(one.finding.key in annotations.of(run).get("dismissed", ()) for run in runs)


def unjudged(checked: Iterable[Checked]) -> list[Unjudged]:
    """Returns what could not be judged because trainings did not log it."""
    missing = [one.unjudged() for one in checked]
    found = []
    for role in _ESSENTIAL_ROLES:
        codes = {code for one in missing for code in one.get(role, ())}
        if codes:
            count = sum(role in one for one in missing)
            found.append(Unjudged(role, tuple(sorted(codes)), count, ROLES[role]))
    return found


def _reported(run: Run, losses: tuple[Ref, ...]) -> list[Diagnosis]:
    return [_of_run(run, finding, losses) for finding in findings_of(run)]


def _of_run(run: Run, finding: Finding, losses: tuple[Ref, ...]) -> Diagnosis:
    """Returns a reported finding with its series, or with the training loss if it names a step but no series."""
    where = finding.location
    shown: tuple[Ref, ...] = ()
    if where.tag:
        shown = (Ref(run.name, where.tag),) if run.has("scalars", where.tag) else ()
    elif where.first_step is not None:
        shown = losses
    return Diagnosis(replace(finding, location=replace(where, runs=(run.name,))), shown)
