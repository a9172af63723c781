"""Experiment table: every session of a logdir with its hyperparameters and metrics.

torch and tensorboardX declare an experiment in every trial, TensorFlow in one run, many writers in none. All
declarations are merged. Undeclared hyperparameters of sessions are added. If no metric is declared, every scalar tag in
the run of a session and below is a metric.
"""

from __future__ import annotations

import math
import posixpath
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from lossboard.errors import DecodeError, LogdirError
from lossboard.kinds.hparams.decode import (
    START_TAG,
    DeclaredExperiment,
    HParamInfo,
    HParamValue,
    MetricInfo,
    Session,
    declared_experiment,
    sessions,
)

if TYPE_CHECKING:
    from lossboard.store.run import Run

MetricKey: TypeAlias = tuple[str, str]
"""(group, tag)"""


@dataclass(frozen=True, slots=True)
class MetricValue:
    """Values of a metric. `minimum` and `maximum` are those of the finite values, NaN if there are none."""

    last: float
    minimum: float
    maximum: float
    last_step: int


@dataclass(frozen=True, slots=True)
class HParam:
    """A column of the table: its declaration, the values of the sessions, and whether they differ."""

    info: HParamInfo
    values: tuple[HParamValue, ...]
    differs: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """A row of the table."""

    run: str
    session: Session
    metrics: dict[MetricKey, MetricValue]


@dataclass(frozen=True, slots=True)
class Experiment:
    """Columns are in TensorBoard's order: those that differ first, then by name."""

    name: str
    description: str
    hparams: tuple[HParam, ...]
    metrics: tuple[MetricInfo, ...]
    trials: tuple[Trial, ...]


def experiment(runs: Mapping[str, Run]) -> Experiment | None:
    """Returns the experiment of the runs of a logdir, or None if no run has a session."""
    found = {name: session for name, run in runs.items() if (session := _session(run)) is not None}
    if not found:
        return None
    declarations = [each for run in runs.values() if (each := _declared(run)) is not None]
    below = _runs_below(runs, found)
    metrics = {(info.group, info.tag): info for each in declarations for info in each.metrics}
    if not metrics:
        metrics = {key: MetricInfo(key[1], key[0]) for name in found for key in _scalars(below[name])}
    values = _metric_values(runs, below, metrics)
    trials = (Trial(name, session, values[name]) for name, session in found.items())
    return Experiment(
        next((each.name for each in declarations if each.name), ""),
        next((each.description for each in declarations if each.description), ""),
        _columns(declarations, list(found.values())),
        tuple(metrics[key] for key in sorted(metrics)),
        tuple(trials),
    )


def _session(run: Run) -> Session | None:
    if not run.has("hparams", START_TAG):
        return None
    return next(iter(sessions(run)), None)


def _declared(run: Run) -> DeclaredExperiment | None:
    try:
        return declared_experiment(run)
    except (DecodeError, LogdirError):  # the other declarations are still valid
        return None


def _columns(declarations: list[DeclaredExperiment], found: list[Session]) -> tuple[HParam, ...]:
    infos = {info.name: info for each in declarations for info in each.hparams}
    for session in found:
        for name, value in session.hparams.items():
            if name not in infos or not infos[name].type:
                infos[name] = replace(infos.get(name, HParamInfo(name)), type=_type(value))
    columns = [_column(info, found) for info in infos.values()]
    return tuple(sorted(columns, key=lambda column: (not column.differs, column.info.name)))


def _column(info: HParamInfo, found: list[Session]) -> HParam:
    have = [session.hparams[info.name] for session in found if info.name in session.hparams]
    by_type = ({value for value in have if type(value) is one} for one in (bool, float, str))  # True differs from 1
    values = [value for same_type in by_type for value in sorted(same_type)]
    return HParam(info, tuple(values), len(values) > 1 or 0 < len(have) < len(found))


def _type(value: HParamValue) -> str:
    return "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"


def _runs_below(runs: Mapping[str, Run], sessions: Container[str]) -> dict[str, dict[str, Run]]:
    """Returns the runs of each session by group: the session's own run is group "", others are below it."""
    below: dict[str, dict[str, Run]] = {}
    for name, run in runs.items():
        for session in _ancestors(name):
            if session in sessions:
                group = "" if name == session else name if session == "." else name[len(session) + 1 :]
                below.setdefault(session, {})[group] = run
    return below


def _ancestors(name: str) -> Iterator[str]:
    """Yields a run's name and the names of all directories above it: a/b, a and . for a/b."""
    yield name
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name
    if name != ".":
        yield "."


def _scalars(groups: Mapping[str, Run]) -> Iterator[MetricKey]:
    for group, run in groups.items():
        yield from ((group, info.tag) for info in run.index() if info.plugin == "scalars")


def _metric_values(
    runs: Mapping[str, Run], below: Mapping[str, Mapping[str, Run]], metrics: Iterable[MetricKey]
) -> dict[str, dict[MetricKey, MetricValue]]:
    """Returns the metrics of each session that it has."""
    wanted: dict[str, list[MetricKey]] = {}
    for group, tag in metrics:
        path = posixpath.normpath(group)
        wanted.setdefault("" if path == "." else path, []).append((group, tag))
    outside = {path: keys for path, keys in wanted.items() if path.startswith("..")}
    values = {}
    for session, groups in below.items():
        found = [(run, wanted.get(group, ())) for group, run in groups.items()]
        for path, keys in outside.items():
            if (run := runs.get(posixpath.normpath(posixpath.join(session, path)))) is not None:
                found.append((run, keys))
        values[session] = {key: value for run, keys in found for key in keys if (value := _value(run, key[1]))}
    return values


def _value(run: Run, tag: str) -> MetricValue | None:
    try:
        column = run.column(tag)
    except LookupError:
        return None
    if not len(column):
        return None
    values, steps = column.values, column.steps
    minimum, maximum = float(values.min()), float(values.max())
    if not (math.isfinite(minimum) and math.isfinite(maximum)):
        finite = values[np.isfinite(values)]
        minimum, maximum = (float(finite.min()), float(finite.max())) if len(finite) else (math.nan, math.nan)
    return MetricValue(float(values[-1]), minimum, maximum, int(steps[-1]))
