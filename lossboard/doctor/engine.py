"""Doctor: judges the runs of a logdir, and judges again only what has changed.

A finding depends on the points of a training alone, so it is the same whether they were read at once or as they came.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.case import Case
from lossboard.doctor.curve import judged_length
from lossboard.doctor.roles import Ref, Roles
from lossboard.doctor.rules import RULES, non_finite
from lossboard.doctor.settings import Settings
from lossboard.doctor.subjects import Subject, find_subjects
from lossboard.findings import SEVERITIES
from lossboard.kinds.cancellation import check_abandoned

if TYPE_CHECKING:
    from lossboard.doctor.rule import Observation, Rule
    from lossboard.findings import Finding
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run
    from lossboard.store.series_index import SeriesIndex

_AT_EVERY_POINT = (non_finite.RULE,)
"""Rules that take so little time that they look at every new point."""


@dataclass(frozen=True)
class Diagnosis:
    """One finding, and the series that show it."""

    finding: Finding
    curves: tuple[Ref, ...]


@dataclass(frozen=True)
class Checked:
    """What is known of one training."""

    subject: Subject
    roles: Roles
    diagnoses: tuple[Diagnosis, ...]

    def unjudged(self) -> dict[str, list[str]]:
        """Returns the roles that are missing, and the codes that could be judged with them."""
        missing: dict[str, list[str]] = {}
        for rule in RULES.values():
            for role in rule.needs:
                if role not in self.roles:
                    missing.setdefault(role, []).append(rule.code)
        return missing


@dataclass
class _Known:
    versions: tuple[tuple[Run, int], ...]
    shape: tuple[object, ...]
    checked: Checked
    slow: list[Diagnosis]


class Doctor:
    """Findings about the runs of a logdir. Safe to use from several threads."""

    def __init__(self, logdir: Logdir, index: SeriesIndex, settings: Settings | None = None) -> None:
        self._logdir = logdir
        self._index = index
        self.settings = settings or Settings()
        self._known: dict[str, _Known] = {}
        self._subjects: list[Subject] = []
        self._names: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def check(self, names: Collection[str] | None = None) -> list[Checked]:
        """Returns what is known now of all trainings, or of those that have one of these runs."""
        return list(self.checking(names))

    def checking(self, names: Collection[str] | None = None) -> Iterator[Checked]:
        """Judges one training after the other. Between two, other threads may read the logdir."""
        runs = self._logdir.runs
        with self._lock:
            subjects = self._find_subjects(runs)
        for subject in subjects:
            if names is not None and not any(name in names for name, _ in subject.runs):
                continue
            check_abandoned()
            with self._lock:
                checked = self._check(subject, runs)
            yield checked

    def _find_subjects(self, runs: Mapping[str, Run]) -> list[Subject]:
        if runs.keys() != self._names:
            self._names = frozenset(runs)
            self._subjects = find_subjects(runs)
            names = {subject.name for subject in self._subjects}
            self._known = {name: known for name, known in self._known.items() if name in names}
        return self._subjects

    def _check(self, subject: Subject, runs: Mapping[str, Run]) -> Checked:
        versions = tuple((runs[name], runs[name].version) for name, _ in subject.runs)
        known = self._known.get(subject.name)
        if known is not None and known.checked.subject == subject and known.versions == versions:
            return known.checked
        series = {run.name: series for run, series in self._index.of(run for run, _ in versions)}
        case = Case(subject, runs, series, roles=self.settings.roles)
        shape = _shape(case)
        if known is not None and known.shape == shape and known.checked.subject == subject:
            slow = known.slow
        else:
            slow = self._judge(case, (rule for rule in RULES.values() if rule not in _AT_EVERY_POINT))
        diagnoses = sorted(self._judge(case, _AT_EVERY_POINT) + slow, key=worst_first)
        checked = Checked(subject, case.roles, tuple(diagnoses))
        self._known[subject.name] = _Known(versions, shape, checked, slow)
        return checked

    def _judge(self, case: Case, rules: Iterable[Rule]) -> list[Diagnosis]:
        thresholds, silenced = self.settings.thresholds, self.settings.silenced
        with np.errstate(all="ignore"):  # logs may hold any numbers
            return [
                _diagnosis(rule, seen)
                for rule in rules
                if rule.code not in silenced
                for seen in rule.check(case, rule.limits(thresholds.get(rule.code, {})))
            ]


def _shape(case: Case) -> tuple[object, ...]:
    """Returns a value that changes whenever the slower rules can find something else."""
    lengths = tuple((ref, judged_length(info.count, ref.run), info.hidden) for ref, info in case.scalars.items())
    return lengths, tuple((run.health.records, len(run.files)) for run in case.runs.values())


def _diagnosis(rule: Rule, seen: Observation) -> Diagnosis:
    shown = [Ref(seen.run, seen.tag)] if seen.tag else []
    return Diagnosis(rule.finding(seen), tuple(dict.fromkeys([*shown, *(Ref(*one) for one in seen.curves)])))


def worst_first(one: Diagnosis) -> tuple[int, int, str]:
    finding = one.finding
    return SEVERITIES.index(finding.severity), finding.location.first_step or 0, finding.code
