"""Routes of findings. Like those of kinds, they are functions that know nothing of HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from lossboard.doctor.diagnose import diagnoses, unjudged
from lossboard.doctor.documents import CurveRow, FindingList, FindingRow, RoleList, RoleRow
from lossboard.doctor.engine import Doctor
from lossboard.doctor.rules import RULES
from lossboard.kinds.context import Context
from lossboard.kinds.routes import JsonResult, RouteResult
from lossboard.store.run_ids import run_id

if TYPE_CHECKING:
    from lossboard.doctor.engine import Diagnosis
    from lossboard.doctor.roles import Ref


@dataclass(frozen=True)
class DoctorRoute:
    """A path below `/api/findings/`, for POST."""

    path: str
    handler: Callable[[Doctor, Context, Mapping[str, Any]], RouteResult]
    summary: str


def list_findings(doctor: Doctor, context: Context, params: Mapping[str, Any]) -> JsonResult[FindingList]:
    cursor = context.logdir.cursor
    runs = context.select_runs(params.get("runs"))
    ids = {run.name: run.id for run in runs}
    checked = doctor.check(ids)
    return JsonResult(
        {
            "cursor": cursor,
            "findings": [_row(one, ids) for one in diagnoses(runs, checked)],
            "trainings": len(checked),
            "unjudged": [
                {"role": one.role, "codes": list(one.codes), "trainings": one.trainings, "snippet": one.snippet}
                for one in unjudged(checked)
            ],
        }
    )


def list_roles(doctor: Doctor, context: Context, params: Mapping[str, Any]) -> JsonResult[RoleList]:
    run = context.find_run(params.get("run"))
    (checked,) = doctor.check({run.name})
    roles: list[RoleRow] = [{"role": role, "curves": _curves(refs)} for role, refs in checked.roles.items()]
    return JsonResult({"roles": roles})


def _row(one: Diagnosis, ids: Mapping[str, str]) -> FindingRow:
    finding = one.finding
    about = [ids[name] for name in finding.location.runs if name in ids]
    row = {**finding.to_json(), "run": about[0], "key": finding.key, "curves": _curves(one.curves)}
    if rule := RULES.get(finding.code):
        row["title"] = rule.title
    if len(finding.location.runs) > 1:
        row["runs"] = about
    return cast(FindingRow, row)


def _curves(refs: Iterable[Ref]) -> list[CurveRow]:
    return [{"run": run_id(ref.run), "tag": ref.tag} for ref in refs]


ROUTES = (
    DoctorRoute("list", list_findings, "Findings of the selected runs"),
    DoctorRoute("roles", list_roles, "Series that the doctor reads of a run, by role"),
)
