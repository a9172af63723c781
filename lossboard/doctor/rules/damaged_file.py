"""Damaged files: records of an event file failed their checksum and were skipped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lossboard.doctor.rule import Limits, Observation, Rule

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    for run in case.runs.values():
        health = run.health
        if not health.records and not health.places:
            continue
        place = health.places[0] if health.places else None
        count = f"{health.records:,} record{'' if health.records == 1 else 's'}"
        where = f" The first is at byte {place.offset:,} of {place.file}: {place.why}." if place else ""
        yield Observation(
            run=run.name,
            message=f"{count} could not be read and {'was' if health.records == 1 else 'were'} skipped.{where}",
            evidence={"records": health.records, "bytes": health.bytes},
        )


RULE = Rule(
    code="damaged-file",
    title="Records could not be read",
    severity="warning",
    needs=(),
    thresholds={},
    detects="Records whose checksum is wrong, with the file and the byte of the first.",
    quiet="A record at the end of a file that is not complete yet.",
    why="The points in these records are missing from every chart. All others are shown.",
    advice=(
        "Look for two processes that write one file, a disk that was full, or a copy that was interrupted. If the "
        "original is elsewhere, copy it again."
    ),
    check=check,
)
