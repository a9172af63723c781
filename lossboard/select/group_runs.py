"""Groups of runs, each as one line with a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.errors import UsageError
from lossboard.select.facts.values import FactValue
from lossboard.select.groups import group_rows
from lossboard.select.query.run_query import run_query
from lossboard.select.select_fields import select_groups
from lossboard.series_math.group_curves import Band, Center, GroupCurve, group_curve
from lossboard.series_math.points import PLUGIN, Points

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable


@dataclass(frozen=True)
class RunGroup:
    """Runs with equal facts and their common line."""

    key: dict[str, FactValue | None]
    """The facts by the names that they were requested with."""
    runs: list[str]
    """Names of the runs that have the tag."""
    curve: GroupCurve


def group_runs(
    table: FactTable,
    tag: str,
    *,
    by: str = "",
    query: str = "",
    center: Center = "mean",
    band: Band | None = None,
    max_steps: int | None = None,
) -> list[RunGroup]:
    """Returns a line and band for each group of the runs that a query selects and that have logged a scalar tag."""
    if tag not in table.metric_names:
        raise UsageError(f"No run has logged the scalar {tag}.")
    fields = select_groups(table, by) if by else {}
    found = []
    for group in group_rows(table, run_query(table, query).rows, list(fields.values())):
        runs = [run for run in (table.runs[row] for row in group.rows.tolist()) if run.has(PLUGIN, tag)]
        if runs:
            points = [Points.of(run, tag) for run in runs]
            curve = group_curve(points, center=center, band=band, max_steps=max_steps)
            key = {name: group.key[field] for name, field in fields.items()}
            found.append(RunGroup(key, [run.name for run in runs], curve))
    return found
