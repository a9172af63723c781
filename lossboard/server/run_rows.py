"""Rows of the list of runs. What depends on a run alone is computed when the run has changed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

from lossboard.findings import SEVERITIES
from lossboard.kinds.findings.decode import findings_of
from lossboard.server.documents import Damage, RunRow
from lossboard.server.live import finite_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lossboard.doctor.documents import FindingCount
    from lossboard.findings import Finding
    from lossboard.server.live import LogdirFollower
    from lossboard.server.live_doctor import LiveDoctor
    from lossboard.store.annotations import Annotations
    from lossboard.store.run import Run

_MAX_DAMAGE_LOCATIONS = 100


class _Known(NamedTuple):
    run: Run
    version: int
    row: RunRow
    reported: tuple[Finding, ...]
    """What training reported of it."""


class RunRows:
    """Rows of the runs of a board. Several threads may use it: at worst, two compute the same row."""

    def __init__(self, annotations: Annotations, follower: LogdirFollower, doctor: LiveDoctor) -> None:
        self._annotations = annotations
        self._follower = follower
        self._doctor = doctor
        self._known: dict[str, _Known] = {}

    def of(self, runs: Mapping[str, Run], labels: Mapping[str, str]) -> list[RunRow]:
        self._known = {name: self._own(run) for name, run in runs.items()}
        return [self._complete(known, labels[name]) for name, known in self._known.items()]

    def _own(self, run: Run) -> _Known:
        known, version = self._known.get(run.name), run.version
        if known is not None and known.run is run and known.version == version:
            return known
        return _Known(run, version, _describe(run), tuple(findings_of(run)))

    def _complete(self, known: _Known, label: str) -> RunRow:
        annotations = cast(RunRow, self._annotations.of(known.run))
        row: RunRow = {**known.row, "label": label, "state": self._follower.state(known.run), **annotations}
        found = (*known.reported, *self._doctor.findings_of(known.run.name))
        if found and (count := _count(one for one in found if one.key not in row.get("dismissed", ()))):
            row["findings"] = count
        return row


def _describe(run: Run) -> RunRow:
    row: RunRow = {
        "id": run.id,
        "name": run.name,
        "label": "",
        "path": os.path.abspath(run.directory),  # noqa: PTH100 (a Path takes five times as long)
        "start": finite_time(run.start),
        "last": finite_time(run.last),
        "state": "finished",
        "bytes": run.bytes,
    }
    if damage := _describe_damage(run):
        row["damage"] = damage
    return row


def _count(found: Iterable[Finding]) -> FindingCount | None:
    """Returns the mark of a run in the list of runs, or None if it has no findings."""
    severities = sorted((one.severity for one in found), key=SEVERITIES.index)
    return {"count": len(severities), "severity": severities[0]} if severities else None


def _describe_damage(run: Run) -> Damage | None:
    health = run.health
    if not (health.records or health.bytes or health.places):
        return None
    places = health.places[:_MAX_DAMAGE_LOCATIONS]
    return {
        "records": health.records,
        "bytes": health.bytes,
        "where": [{"file": str(p.file), "offset": p.offset, "bytes": p.bytes, "why": p.why} for p in places],
    }
