"""Groups of runs: runs with equal facts, and runs that differ only in their seed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lossboard.select.facts.fields import Field
from lossboard.select.facts.values import FactValue

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

_SEED = re.compile(r"(?:.*[._/-])?seed", re.IGNORECASE)
_IDENTITIES = re.compile(
    "checkpoint_dir|date|exp_name|experiment_name|git_commit|host|hostname|hub_model_id|id|log_dir|logdir|logging_dir|"
    "name|output_dir|pid|run_dir|run_id|run_name|save_dir|start_time|time|timestamp|work_dir",
    re.IGNORECASE,
)
"""Last parts of the names of settings that differ from run to run without changing what is trained."""


@dataclass(frozen=True)
class Group:
    """Runs whose facts are equal. A fact that they all lack is None."""

    key: dict[Field, FactValue | None]
    rows: NDArray[np.int64]
    """Rows of the table of facts."""


@dataclass(frozen=True)
class SeedGrouping:
    """Runs repeated with different seeds. Grouping by `by` puts the repetitions together."""

    seed: Field
    by: tuple[Field, ...]
    groups: list[Group]
    """Only those with at least two seeds."""


def group_rows(table: FactTable, rows: NDArray[np.int64], by: Sequence[Field]) -> list[Group]:
    """Groups rows by one or more facts, ordered by the first, then the second fact and so on."""
    if not len(rows):
        return []
    group_of = np.zeros(len(rows), np.int64)
    for field in by:
        group_of = _compress(group_of * (len(table) + 1) + _ranks(table, field)[rows])
    members = np.split(np.argsort(group_of, kind="stable"), np.cumsum(np.bincount(group_of))[:-1])
    columns = {field: table.column(field) for field in by}
    return [
        Group({field: column.value(int(rows[member[0]])) for field, column in columns.items()}, rows[member])
        for member in members
    ]


def _compress(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the ranks of numbers: 0 for the smallest, 1 for the next and so on."""
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _ranks(table: FactTable, field: Field) -> NDArray[np.int64]:
    """Returns for each row the rank of its value among the values of a fact."""
    codes, values = table.column(field).labels
    order = sorted(range(len(values)), key=lambda code: sort_key(values[code]))
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.arange(len(values))
    return ranks[codes]


def sort_key(value: FactValue | None) -> tuple[int, float, str]:
    """Orders values of any type: booleans, numbers, texts, NaN, and missing ones last."""
    if value is None:
        return 4, 0.0, ""
    if isinstance(value, str):
        return 2, 0.0, value
    if value != value:
        return 3, 0.0, ""
    return (0 if isinstance(value, bool) else 1), float(value), ""


def is_seed(name: str) -> bool:
    return _SEED.fullmatch(name) is not None


def is_identity(name: str) -> bool:
    """Whether a setting names the run, so that it differs without changing what is trained."""
    return _IDENTITIES.fullmatch(re.split(r"[./]", name)[-1]) is not None


def seed_grouping(table: FactTable, rows: NDArray[np.int64]) -> SeedGrouping | None:
    """Returns the groups of runs that differ only in their seed, or None if there are none."""
    seeds = [Field("hp", name) for name in table.hyperparameter_names if is_seed(name)]
    varied = [seed for seed in seeds if _differs(table, seed, rows)]
    if not varied:
        return None
    seed = min(varied, key=lambda field: len(field.name))
    by = tuple(
        field
        for name in sorted(table.hyperparameter_names)
        if not is_seed(name) and not is_identity(name) and _differs(table, field := Field("hp", name), rows)
    )
    seeds_of_rows = table.column(seed)
    with_seed = rows[seeds_of_rows.has_value[rows]]
    groups = [group for group in group_rows(table, with_seed, by) if _differs(table, seed, group.rows)]
    return SeedGrouping(seed, by, groups) if groups else None


def _differs(table: FactTable, field: Field, rows: NDArray[np.int64]) -> bool:
    codes, _ = table.column(field).labels
    return len(np.unique(codes[rows])) > 1
