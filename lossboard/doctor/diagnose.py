"""All findings of a logdir: those of the rules, and those that training itself reported."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lossboard.doctor.engine import Checked, Diagnosis, Doctor, worst_first
from lossboard.doctor.roles import Ref
from lossboard.doctor.settings import read_settings
from lossboard.kinds.findings.decode import findings_of
from lossboard.store.series_index import SeriesIndex

if TYPE_CHECKING:
    from lossboard.findings import Finding
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run


def create_doctor(logdir: Logdir, index: SeriesIndex | None = None) -> Doctor:
    """Returns a doctor with the settings of the logdir. Raises UsageError if its `lossboard.toml` has an error."""
    return Doctor(logdir, index or SeriesIndex(), read_settings(logdir.roots[0].folder))


def diagnoses(runs: Iterable[Run], checked: Iterable[Checked]) -> list[Diagnosis]:
    """Returns the findings about runs, in the order of the runs, and the most severe of each run first."""
    of_run: dict[str, list[Diagnosis]] = {}
    for one in checked:
        for diagnosis in one.diagnoses:
            for name in diagnosis.finding.location.runs:
                of_run.setdefault(name, []).append(diagnosis)
    found = [
        diagnosis for run in runs for diagnosis in sorted((*of_run.get(run.name, ()), *_reported(run)), key=worst_first)
    ]
    return list({id(one): one for one in found}.values())  # a finding about several runs is listed once


def findings_by_run(runs: Sequence[Run], checked: Iterable[Checked]) -> list[tuple[Run, Finding]]:
    """Returns each finding with the first of the given runs that it is about."""
    by_name = {run.name: run for run in runs}
    return [
        (next(by_name[name] for name in one.finding.location.runs if name in by_name), one.finding)
        for one in diagnoses(runs, checked)
    ]


def _reported(run: Run) -> list[Diagnosis]:
    return [_of_run(run, finding) for finding in findings_of(run)]


def _of_run(run: Run, finding: Finding) -> Diagnosis:
    where = finding.location
    shown = (Ref(run.name, where.tag),) if where.tag and run.has("scalars", where.tag) else ()
    return Diagnosis(replace(finding, location=replace(where, runs=(run.name,))), shown)
