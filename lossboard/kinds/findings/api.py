"""HTTP routes of findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from lossboard.kinds.context import Context
from lossboard.kinds.findings.decode import findings_of
from lossboard.kinds.findings.documents import FindingCount, FindingList, FindingRow
from lossboard.kinds.routes import JsonResult, Route

if TYPE_CHECKING:
    from lossboard.findings import Finding
    from lossboard.store.run import Run


def list_findings(context: Context, params: Mapping[str, Any]) -> JsonResult[FindingList]:
    cursor = context.logdir.cursor
    runs = context.select_runs(params.get("runs"))
    found = context.diagnose(runs) if context.diagnose else [(run, one) for run in runs for one in findings_of(run)]
    return JsonResult({"cursor": cursor, "findings": [_row(run, one) for run, one in found]})


def count_findings(run: Run) -> FindingCount | None:
    """Returns the mark of a run in the list of runs, or None if its training reported nothing."""
    found = findings_of(run)
    return {"count": len(found), "severity": found[0].severity} if found else None


def _row(run: Run, finding: Finding) -> FindingRow:
    row = finding.to_json()
    row.pop("runs", None)
    return cast(FindingRow, {**row, "run": run.id})


ROUTES = (Route("list", list_findings, "Findings of the selected runs", "POST"),)
