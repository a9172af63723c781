"""Runs that the `runs` parameter of a request selects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run


def select_runs(logdir: Logdir, selection: object) -> list[Run]:
    """Returns the selected runs in the order of the board. Ids of removed runs are ignored."""
    runs = list(logdir.runs.values())
    return [runs[row] for row in select_rows(runs, selection)]


def select_rows(runs: Sequence[Run], selection: object) -> list[int]:
    """Returns the positions of the selected runs among `runs`."""
    match selection:
        case None:
            return list(range(len(runs)))
        case {"only": list(ids)}:
            wanted = _ids(ids)
            return [row for row, run in enumerate(runs) if run.id in wanted]
        case {"except": list(ids)}:
            unwanted = _ids(ids)
            return [row for row, run in enumerate(runs) if run.id not in unwanted]
    raise UsageError('Expected "runs" to be {"only": [id, …]} or {"except": [id, …]}.')


def _ids(ids: Iterable[Any]) -> frozenset[str]:
    return frozenset(item for item in ids if isinstance(item, str))
