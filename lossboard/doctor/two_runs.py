"""Two runs: what differs in their settings and environment, and at which step their curves part beyond the noise."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lossboard.doctor.case import Case
from lossboard.doctor.curve import BLOCKS, Curve
from lossboard.doctor.roles import ROLES, Ref
from lossboard.doctor.settings import read_settings
from lossboard.doctor.subjects import find_subjects
from lossboard.errors import UsageError
from lossboard.kinds.json_numbers import number
from lossboard.select.facts.environment import read_environment
from lossboard.select.facts.table import Facts
from lossboard.store.annotations import Annotations
from lossboard.store.series_index import SeriesIndex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lossboard.select.facts.values import FactValue
    from lossboard.store.logdir import Logdir

_BEYOND = 4.0
"""Standard deviations of the noise."""
_LASTING_BLOCKS = 3
"""So many parts of the run in a row must differ, or all that are left."""


@dataclass(frozen=True)
class Difference:
    """A setting. None is one that this run does not have."""

    name: str
    a: FactValue | None
    b: FactValue | None


@dataclass(frozen=True)
class CurvePair:
    """Two curves of one tag over the steps that both have.

    `equal_until` is the last step up to which they are exactly equal, and `parts_at` the first one from which they
    differ by more than the noise. None means never. The values are the levels where they part, or else at the end.
    """

    tag: str
    first_step: int
    last_step: int
    equal_until: int | None
    parts_at: int | None
    a: float
    b: float


@dataclass(frozen=True)
class Comparison:
    names: tuple[str, str]
    settings: tuple[Difference, ...]
    environment: tuple[Difference, ...]
    curves: tuple[CurvePair, ...]
    only_a: tuple[str, ...]
    """Tags of scalars that only one run has."""
    only_b: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "runs": list(self.names),
            "settings": [_json(asdict(one)) for one in self.settings],
            "environment": [_json(asdict(one)) for one in self.environment],
            "curves": [_json(asdict(one)) for one in self.curves],
            "only_a": list(self.only_a),
            "only_b": list(self.only_b),
        }


@dataclass(frozen=True)
class Side:
    """One of the two runs: its curves by tag, its settings and its environment."""

    name: str
    curves: Mapping[str, Curve]
    settings: Mapping[str, FactValue]
    environment: Mapping[str, FactValue]


def open_side(logdir: Logdir) -> Side:
    """Returns what is known of the training in a logdir. Tags of sub-runs have the name of the sub-run in front.

    Raises UsageError if there are several trainings, or none.
    """
    case = _only_case(logdir)
    table = Facts(logdir, SeriesIndex(), Annotations(logdir)).table()
    settings: dict[str, FactValue] = {}
    environment: dict[str, FactValue] = {}
    for row, run in enumerate(table.runs):
        if run.name in case.runs:
            settings.update(table.hyperparameters[row])
            files = [file.name for file in run.files]
            environment.update(read_environment(run.path, files, root=logdir.root_of(run).folder).facts)
    own = next(iter(case.runs)) if len(case.runs) == 1 else case.subject.name
    curves = {
        _tag_of(ref.run, ref.tag, own): Curve(ref.run, ref.tag, case.column(ref), whole=True) for ref in _by_role(case)
    }
    return Side(case.subject.name, {tag: one for tag, one in curves.items() if len(one)}, settings, environment)


def compare(a: Side, b: Side, names: tuple[str, str]) -> Comparison:
    if not (a.curves or b.curves or a.settings or b.settings):
        raise UsageError(f"Neither {names[0]} nor {names[1]} has scalars or settings to compare.")
    shared = [tag for tag in a.curves if tag in b.curves]
    pairs = (_pair(tag, a.curves[tag], b.curves[tag]) for tag in shared)
    return Comparison(
        names,
        tuple(_differences(a.settings, b.settings)),
        tuple(_differences(a.environment, b.environment)),
        tuple(pair for pair in pairs if pair is not None),
        tuple(tag for tag in a.curves if tag not in b.curves),
        tuple(tag for tag in b.curves if tag not in a.curves),
    )


def _only_case(logdir: Logdir) -> Case:
    folder = logdir.roots[0].path
    subjects = find_subjects(logdir.runs)
    if len(subjects) != 1:
        names = [one.name for one in subjects[:5]] + ["…"] * (len(subjects) > 5)
        found = f"has {len(subjects)} trainings: {', '.join(names)}" if subjects else "has no runs"
        raise UsageError(f"{folder} {found}. To compare two runs, give the directory of each.")
    (subject,) = subjects
    series = {run.name: series for run, series in SeriesIndex().of(logdir.runs.values())}
    return Case(subject, logdir.runs, series, roles=read_settings(logdir.roots[0].folder).roles)


def _by_role(case: Case) -> list[Ref]:
    """Returns the series, those with a role first: losses, then the rest."""
    with_role = [ref for role in ROLES for ref in case.roles.get(role, ())]
    return list(dict.fromkeys([*with_role, *sorted(case.scalars)]))


def _tag_of(run: str, tag: str, own: str) -> str:
    return tag if run == own else f"{run.rpartition('/')[2]}/{tag}"


def _differences(a: Mapping[str, FactValue], b: Mapping[str, FactValue]) -> Iterator[Difference]:
    for name in dict.fromkeys([*a, *b]):
        if a.get(name) != b.get(name) or (name in a) != (name in b):
            yield Difference(name, a.get(name), b.get(name))


def _pair(tag: str, a: Curve, b: Curve) -> CurvePair | None:
    """Compares two curves at the steps of `a` that lie within `b`. None if there are none."""
    low, high = max(a.step(0), b.step(0)), min(a.last_step, b.last_step)
    at = (a.steps >= low) & (a.steps <= high)
    if not at.any():
        return None
    steps, ours = a.steps[at], a.values[at]
    theirs = np.interp(steps, b.steps, b.values)
    place = _parts_at(ours - theirs, math.hypot(a.noise, b.noise))
    around = slice(place, place + _block_size(len(steps))) if place is not None else slice(-3, None)
    return CurvePair(
        tag,
        int(low),
        int(high),
        _equal_until(steps, ours - theirs),
        None if place is None else int(steps[place]),
        float(np.median(ours[around])),
        float(np.median(theirs[around])),
    )


def _equal_until(steps: NDArray[np.int64], difference: NDArray[np.float64]) -> int | None:
    different = np.flatnonzero(difference)
    if not len(different):
        return int(steps[-1])
    return int(steps[different[0] - 1]) if different[0] else None


def _block_size(points: int) -> int:
    return max(1, round(points / BLOCKS))


def _parts_at(difference: NDArray[np.float64], noise: float) -> int | None:
    """Returns the index from which the difference is larger than the noise, and stays so for a while."""
    size = _block_size(len(difference))
    count = len(difference) // size
    blocks = np.median(difference[: count * size].reshape(count, size), axis=1)
    limit = _BEYOND * 1.25 * noise / math.sqrt(size)
    sides = np.sign(blocks) * (np.abs(blocks) > limit)
    for at in np.flatnonzero(sides):
        if (sides[at : at + _LASTING_BLOCKS] == sides[at]).all():
            return int(at) * size
    return None


def _json(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: number(value) if isinstance(value, float) else value for name, value in values.items()}
