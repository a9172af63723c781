"""Experiment table: every session of a logdir with its hyperparameters and metrics.

torch and tensorboardX declare an experiment in every trial, TensorFlow in one run, many writers in none. All
declarations are merged. Undeclared hyperparameters of sessions are added. If no metric is declared, every scalar tag in
the run of a session and below is a metric.
"""

from __future__ import annotations

import posixpath
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from lossboard.kinds.hparams.decode import (
    DeclaredExperiment,
    HParamInfo,
    HParamValue,
    MetricInfo,
    Session,
    declared_experiments,
    read_session,
)
from lossboard.store.scalar_stats import ScalarStats, update_stats

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
    found = {name: session for name, run in runs.items() if (session := read_session(run)) is not None}
    if not found:
        return None
    declarations = declared_experiments(runs.values())
    below = _runs_below(runs, found)
    metrics = {(info.group, info.tag): info for each in declarations for info in each.metrics}
    if not metrics:
        scalars = {key for name in found for key in _scalars(below[name])}
        metrics = {key: MetricInfo(key[1], key[0]) for key in scalars}
    values = _metric_values(runs, below, metrics)
    trials = (Trial(name, session, values[name]) for name, session in found.items())
    return Experiment(
        next((each.name for each in declarations if each.name), ""),
        next((each.description for each in declarations if each.description), ""),
        _columns(declarations, list(found.values())),
        tuple(metrics[key] for key in sorted(metrics)),
        tuple(trials),
    )


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
        yield from ((group, tag) for plugin, tag in run.series() if plugin == "scalars")


def _metric_values(
    runs: Mapping[str, Run], below: Mapping[str, Mapping[str, Run]], metrics: Iterable[MetricKey]
) -> dict[str, dict[MetricKey, MetricValue]]:
    """Returns the metrics of each session that it has."""
    values: dict[str, dict[MetricKey, MetricValue]] = {session: {} for session in below}
    for key in metrics:
        path = posixpath.normpath(key[0])
        group = "" if path == "." else path
        if group.startswith(".."):
            found = {session: runs.get(posixpath.normpath(posixpath.join(session, group))) for session in below}
        else:
            found = {session: groups.get(group) for session, groups in below.items()}
        measured = {session: run for session, run in found.items() if run is not None}
        for session, value in zip(measured, _values(measured.values(), key[1]), strict=True):
            if value is not None:
                values[session][key] = value
    return values


def _values(runs: Iterable[Run], tag: str) -> list[MetricValue | None]:
    stats = update_stats(ScalarStats(tag), runs)
    columns = (stats.last, stats.minimum, stats.maximum, stats.last_step)
    rows = zip(stats.count.tolist(), *(column.tolist() for column in columns), strict=True)
    return [MetricValue(*values) if count else None for count, *values in rows]
