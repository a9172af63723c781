"""Runs that the `runs` parameter of a request selects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError
from lossboard.select.run_filter import RunFilter

if TYPE_CHECKING:
    from lossboard.store.annotations import Annotations
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run


def select_runs(logdir: Logdir, annotations: Annotations, selection: object) -> list[Run]:
    """Returns the selected runs in the order of the board. Ids of removed runs are ignored."""
    runs = logdir.runs.values()
    match selection:
        case None:
            return list(runs)
        case {"only": list(ids)}:
            wanted = _ids(ids)
            return [run for run in runs if run.id in wanted]
        case {"except": list(ids)}:
            unwanted = _ids(ids)
            return [run for run in runs if run.id not in unwanted]
        case {"filter": str(text)}:
            filter = RunFilter.parse(text)
            return [run for run in runs if any(map(filter.matches, _texts(run, annotations)))]
    raise UsageError('Expected "runs" to be {"only": [id, …]}, {"except": [id, …]} or {"filter": text}.')


def _ids(ids: Iterable[Any]) -> frozenset[str]:
    return frozenset(item for item in ids if isinstance(item, str))


def _texts(run: Run, annotations: Annotations) -> list[str]:
    """Returns the texts of a run that the filter looks at, the same ones as in the sidebar."""
    fields = annotations.of(run)
    return [run.name, *([fields["alias"]] if "alias" in fields else []), *fields.get("tags", ())]
