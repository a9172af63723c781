"""What a name in a query means.

A name is a hyperparameter, a fact that every run has, or a metric, whose last value it then is. `hp.` and `run.` say
which of the first two is meant, an aggregate says that it is a metric. A name that is none of these may be the end of
a longer one (`lr` for `optim.lr`, `loss` for `train/loss`) if it is the end of only one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lossboard.select.facts.fields import RUN_FACTS, Field, quote_name
from lossboard.select.query.syntax import FieldName
from lossboard.syntax.errors import QueryError
from lossboard.syntax.place import Place
from lossboard.syntax.suggest import nearest

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

_SYNONYMS = {
    "name": "run",
    "tag": "tags",
    "started": "start",
    "step": "last_step",
    "steps": "last_step",
    "damage": "corrupt_records",
    "run.name": "run",
}
_MAX_LISTED = 5


def resolve(field: FieldName, table: FactTable) -> Field:
    """Returns the fact that a query names. Raises QueryError if there is none or more than one."""
    if field.aggregate:
        tag = _resolve_metric(field.name, table, field.name_place or field.place)
        return Field("metric", tag, field.aggregate, field.step)
    candidates = _meanings(field.name, table)
    if len(candidates) > 1:
        _raise_ambiguous(field.name, candidates, field.place)
    return candidates[0] if candidates else _raise_unknown(field, table)


def _meanings(name: str, table: FactTable) -> list[Field]:
    hyperparameters, metrics = table.hyperparameter_names, table.metric_names
    prefix, _, rest = name.partition(".")
    if prefix == "hp" and rest:
        if rest in hyperparameters:
            return [Field("hp", rest)]
        return [Field("hp", long) for long in _ends_with(rest, hyperparameters)]
    if prefix == "run" and rest in RUN_FACTS:
        return [Field("run", rest)]
    exact = [Field("hp", name)] if name in hyperparameters else []
    exact += [Field("run", name)] if name in RUN_FACTS else []
    if exact:
        return exact
    if name in metrics:
        return [Field("metric", name, "last")]
    if name in _SYNONYMS:
        return [Field("run", _SYNONYMS[name])]
    short = [Field("hp", long) for long in _ends_with(name, hyperparameters)]
    return short + [Field("metric", long, "last") for long in _ends_with(name, metrics)]


def _ends_with(name: str, names: Iterable[str]) -> list[str]:
    ends = (f".{name}", f"/{name}")
    return sorted(long for long in names if long.endswith(ends))


def _resolve_metric(name: str, table: FactTable, place: Place) -> str:
    if name in table.metric_names:
        return name
    found = _ends_with(name, table.metric_names)
    if len(found) > 1:
        _raise_ambiguous(name, found, place)
    if not found:
        message = f"No run has logged the scalar {name}."
        raise QueryError(message, place.start, place.end, suggestion=_quoted(nearest(name, table.metric_names)))
    return found[0]


def _raise_ambiguous(name: str, meanings: Iterable[Field | str], place: Place) -> None:
    spelled = [_spelling(meaning) for meaning in meanings]
    more = f" and {len(spelled) - _MAX_LISTED} more" if len(spelled) > _MAX_LISTED else ""
    listed = ", ".join(spelled[:_MAX_LISTED]) + more
    raise QueryError(f"{name} may mean {listed}.", place.start, place.end, suggestion=spelled[:_MAX_LISTED])


def _spelling(meaning: Field | str) -> str:
    if isinstance(meaning, str):
        return quote_name(meaning)
    return f"run.{meaning.name}" if meaning.source == "run" else str(meaning)


def _raise_unknown(field: FieldName, table: FactTable) -> Field:
    names = [*RUN_FACTS, *_SYNONYMS, *table.hyperparameter_names, *table.metric_names]
    names += [f"hp.{name}" for name in table.hyperparameter_names] if field.name.startswith("hp.") else []
    names += [name.rpartition(".")[2] for name in table.hyperparameter_names]
    message = f"No run has a fact called {field.name}."
    suggestion = _quoted(nearest(field.name, dict.fromkeys(names)))
    raise QueryError(message, field.place.start, field.place.end, suggestion=suggestion)


def _quoted(name: str) -> str:
    return quote_name(name) if name else ""
