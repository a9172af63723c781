"""Experiment table: every session of a logdir with its hyperparameters and metrics.

torch and tensorboardX declare an experiment in every trial, TensorFlow in one run, many writers in none. All
declarations are merged. Undeclared hyperparameters of sessions are added. If no metric is declared, every scalar tag in
the run of a session and below is a metric.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
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
    metrics = {(info.group, info.tag): info for each in declarations for info in each.metrics}
    if not metrics:
        metrics = {key: MetricInfo(key[1], key[0]) for name in found for key in _scalars_below(runs, name)}
    trials = (Trial(name, session, _values(runs, name, metrics)) for name, session in found.items())
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
    for name, value in ((name, value) for session in found for name, value in session.hparams.items()):
        info = infos.setdefault(name, HParamInfo(name))
        if not info.type:
            infos[name] = replace(info, type=_type(value))
    columns = [_column(info, found) for info in infos.values()]
    return tuple(sorted(columns, key=lambda column: (not column.differs, column.info.name)))


def _column(info: HParamInfo, found: list[Session]) -> HParam:
    used = [session.hparams[info.name] for session in found if info.name in session.hparams]
    values = sorted({(str(type(value)), value): value for value in used}.values(), key=lambda v: (str(type(v)), v))
    return HParam(info, tuple(values), len(values) > 1 or 0 < len(used) < len(found))


def _type(value: HParamValue) -> str:
    return "bool" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"


def _scalars_below(runs: Mapping[str, Run], session: str) -> Iterator[MetricKey]:
    for name, run in runs.items():
        if session == "." or name == session or name.startswith(f"{session}/"):
            group = posixpath.relpath(name, session)
            yield from (("" if group == "." else group, info.tag) for info in run.index() if info.plugin == "scalars")


def _values(
    runs: Mapping[str, Run], session: str, metrics: Mapping[MetricKey, MetricInfo]
) -> dict[MetricKey, MetricValue]:
    values = {}
    for group, tag in metrics:
        run = runs.get(posixpath.normpath(posixpath.join(session, group)))
        if run is not None and run.has("scalars", tag) and (value := _value(run, tag)) is not None:
            values[group, tag] = value
    return values


def _value(run: Run, tag: str) -> MetricValue | None:
    column = run.column(tag)
    if not len(column):
        return None
    finite = column.values[np.isfinite(column.values)]
    minimum, maximum = (float(finite.min()), float(finite.max())) if len(finite) else (np.nan, np.nan)
    return MetricValue(float(column.values[-1]), minimum, maximum, int(column.steps[-1]))
