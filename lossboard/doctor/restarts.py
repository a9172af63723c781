"""Restarts of a series: the steps at which another process went on with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lossboard.events.event_reader import first_event

if TYPE_CHECKING:
    from pathlib import Path

    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Values
    from lossboard.doctor.roles import Ref
    from lossboard.store.column import Column

_POINTS = 25
_MAX_FILES = 20
"""Some scripts open a file for each epoch."""


class Restart(NamedTuple):
    step: int
    before: Values
    """Values of the last points before it, up to 25, and those after it."""
    after: Values


def find_restarts(case: Case, ref: Ref) -> list[Restart]:
    """Returns the restarts of a series: where its steps go back, and where a new file begins."""
    info, run = case.scalars[ref], case.runs[ref.run]
    if not info.hidden and len(run.files) < 2:
        return []
    if info.hidden:
        return _by_steps(case.attempts(ref))
    return _by_files(case.column(ref), _file_starts(run.files[-_MAX_FILES:]))


def _file_starts(files: list[Path]) -> list[float]:
    """Returns the wall times of the first events of files."""
    firsts = map(first_event, files)
    return [event.wall_time for event in firsts if event is not None]


def _by_steps(attempts: Column) -> list[Restart]:
    backs = np.flatnonzero(np.diff(attempts.steps) < 0) + 1
    found = []
    for at in backs.tolist():
        step = int(attempts.steps[at])
        earlier = attempts.values[:at][attempts.steps[:at] < step]
        found.append(Restart(step, earlier[-_POINTS:], attempts.values[at : at + _POINTS]))
    return found


def _by_files(column: Column, starts: list[float]) -> list[Restart]:
    found = []
    for start in starts[1:]:
        at = int(np.searchsorted(column.wall_times, start))
        if 0 < at < len(column):
            found.append(
                Restart(
                    int(column.steps[at]), column.values[max(0, at - _POINTS) : at], column.values[at : at + _POINTS]
                )
            )
    return found
