"""Routes of the HParams view: the table of trials, and the importance of hyperparameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lossboard.errors import UsageError
from lossboard.kinds.hparams.experiment import MetricKey
from lossboard.kinds.json_numbers import number
from lossboard.kinds.params import get_objects
from lossboard.kinds.routes import ArrowResult, JsonResult
from lossboard.select.api import FactsRoute
from lossboard.select.fact_columns import fact_column
from lossboard.select.facts.columns import Column
from lossboard.select.facts.direction import Direction, direction_of
from lossboard.select.facts.fields import Field
from lossboard.select.facts.table import Facts
from lossboard.select.groups import is_identity, is_seed
from lossboard.select.importance import MIN_RUNS, importances
from lossboard.select.runs import select_rows
from lossboard.select.trials import BestStep, Trials, Value, main_metrics
from lossboard.select.trials_documents import (
    ImportanceResponse,
    ImportanceRow,
    TrialHParam,
    TrialMetric,
    TrialSession,
    TrialsHead,
)

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

_MAX_METRICS = 100
_MAX_HPARAMS = 500


def trials_table(facts: Facts, params: Mapping[str, Any]) -> ArrowResult[TrialsHead]:
    """Returns all trials. Without `metrics`, the server chooses them."""
    table = facts.table()
    trials = Trials(table)
    chosen = (
        [_metric(one) for one in get_objects(params, "metrics", maximum=_MAX_METRICS)] if "metrics" in params else None
    )
    metrics = list(trials.metrics)
    shown = main_metrics(trials) if chosen is None else [key for key in chosen if key in trials.metrics]
    value = _value(params)
    hparams = [_hparam(trials, table, name) for name in list(table.hyperparameter_names)[:_MAX_HPARAMS]]
    used = [(head, columns) for head, columns in hparams if head["runs"]]
    own_rows = np.arange(len(trials))
    tables = [columns for _, columns in used]
    tables += [fact_column("", _field(key), trials.column(key, value), own_rows)[1] for key in shown]
    return ArrowResult(
        {
            "cursor": table.cursor,
            "runs": [table.runs[row].id for row in trials.rows.tolist()],
            "sessions": [_session(session) for session in trials.sessions],
            "hparams": [head for head, _ in used],
            "metrics": [_describe_metric(trials, key) for key in metrics],
            "shown": [metrics.index(key) for key in shown],
        },
        tables,
    )


def importance(facts: Facts, params: Mapping[str, Any]) -> JsonResult[ImportanceResponse]:
    table = facts.table()
    trials = Trials(table)
    selected = np.isin(trials.rows, select_rows(table.runs, params.get("runs")))
    column = trials.column(_metric(params.get("metric")), _value(params))
    has_metric = column.has_value & selected
    found = importances(_comparable(table, trials), column.numbers, has_metric, _direction(params))
    rows: list[ImportanceRow] = [
        {
            "name": one.name,
            "share": one.share,
            "noise": one.noise,
            "correlation": one.correlation,
            "log": one.is_log,
            "runs": one.runs,
        }
        for one in found
    ]
    return JsonResult(
        {
            "cursor": table.cursor,
            "runs": int(has_metric.sum()),
            "failed": int((has_metric & ~np.isfinite(column.numbers)).sum()),
            "needed": MIN_RUNS,
            "rows": rows,
        }
    )


def _comparable(table: FactTable, trials: Trials) -> dict[str, Column]:
    """Returns the hyperparameters of the trials, without seeds and names of runs, which explain nothing."""
    names = [name for name in table.hyperparameter_names if not is_seed(name) and not is_identity(name)]
    return {name: _hparam_column(table, name).take(trials.rows) for name in names[:_MAX_HPARAMS]}


def _hparam_column(table: FactTable, name: str) -> Column:
    column = table.column(Field("hp", name))
    assert isinstance(column, Column)
    return column


def _hparam(trials: Trials, table: FactTable, name: str) -> tuple[TrialHParam, dict[str, Any]]:
    field = Field("hp", name)
    head, columns = fact_column(str(field), field, _hparam_column(table, name), trials.rows)
    described = cast("TrialHParam", {**head, "name": name})
    info = trials.declared_hparams.get(name)
    if info is not None:
        if info.display_name:
            described["display"] = info.display_name
        if info.description:
            described["description"] = info.description
        if info.choices:
            described["choices"] = [number(one) if isinstance(one, float) else one for one in info.choices]
        if info.interval:
            described["interval"] = number(info.interval[0]), number(info.interval[1])
    return described, columns


def _describe_metric(trials: Trials, key: MetricKey) -> TrialMetric:
    info, runs = trials.metrics[key]
    described: TrialMetric = {"group": key[0], "tag": key[1], "runs": runs}
    if info.display_name:
        described["display"] = info.display_name
    if info.description:
        described["description"] = info.description
    if (best := direction_of(_field(key))) is not None:
        described["best"] = best
    return described


def _session(session: Any) -> TrialSession | None:
    return None if session is None else {"group": session.group, "status": session.status}


def _field(metric: MetricKey) -> Field:
    return Field("metric", metric[1], "last")


def _metric(value: object) -> MetricKey:
    match value:
        case {"group": str() as group, "tag": str() as tag}:
            return group, tag
    raise UsageError('Expected a metric to be {"group": "", "tag": "loss"}.')


def _value(params: Mapping[str, Any]) -> Value:
    match params.get("value", "last"):
        case "last" | "min" | "max" as aggregate:
            return str(aggregate)
        case {"at_best": metric} as at:
            return BestStep(_metric(metric), _direction(at))
    raise UsageError('Expected "value" to be "last", "min", "max" or {"at_best": metric, "direction": "min"}.')


def _direction(params: Mapping[str, Any]) -> Direction:
    match params.get("direction"):
        case "min":
            return "min"
        case "max":
            return "max"
    raise UsageError('Expected "direction" to be "min" or "max".')


ROUTES = (
    FactsRoute("hparams/table", trials_table, "Trials with their hyperparameters and metrics"),
    FactsRoute("hparams/importance", importance, "Which hyperparameters explain a metric"),
)
