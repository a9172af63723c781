"""Routes of facts, queries and groups. Like those of kinds, they are functions that know nothing of HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lossboard.errors import UsageError
from lossboard.kinds.params import get_int, get_str, parse_strings
from lossboard.kinds.routes import ArrowResult, JsonResult, RouteResult
from lossboard.select.documents import (
    BrokenColumn,
    CompletionList,
    CompletionRow,
    FactColumn,
    FactsHead,
    FieldList,
    GroupMean,
    GroupRow,
    GroupsResponse,
    LackedFact,
    QueryResponse,
    SeedsResponse,
)
from lossboard.select.fact_columns import fact_column
from lossboard.select.facts.columns import TextsColumn
from lossboard.select.facts.table import Facts
from lossboard.select.field_list import list_fields
from lossboard.select.group_means import group_means
from lossboard.select.groups import Group, group_rows, seed_grouping
from lossboard.select.query.complete import complete
from lossboard.select.query.include_missing import include_missing
from lossboard.select.query.parser import MAX_CHARS
from lossboard.select.query.run_query import QueryResult, run_query
from lossboard.select.runs import select_rows
from lossboard.select.select_fields import select_field, select_groups
from lossboard.syntax.errors import QueryError

if TYPE_CHECKING:
    from lossboard.select.facts.fields import Field
    from lossboard.select.facts.table import FactTable

_MAX_COLUMNS = 500
_MAX_CELLS = 8_000_000
"""Cells in a response. A cell takes 1 to 13 bytes."""
_MAX_FIELDS = 500


@dataclass(frozen=True)
class FactsRoute:
    """A path below `/api/`, for POST."""

    path: str
    handler: Callable[[Facts, Mapping[str, Any]], RouteResult]
    summary: str


def query(facts: Facts, params: Mapping[str, Any]) -> JsonResult[QueryResponse]:
    table, text = facts.table(), get_str(params, "query")
    try:
        result = run_query(table, text)
    except QueryError as error:
        return JsonResult({"cursor": table.cursor, "runs": None, "lacking": [], "problem": error.document()})
    lacking = [_describe_lack(table, text, result, field) for field in result.lacking]
    left_out = [one for one in lacking if one["runs"]]
    return JsonResult({"cursor": table.cursor, "runs": result.ids, "lacking": left_out, "problem": None})


def _describe_lack(table: FactTable, text: str, result: QueryResult, field: Field) -> LackedFact:
    including = include_missing(table, text, field)
    added = len(run_query(table, including).rows) - len(result.rows) if len(including) <= MAX_CHARS else 0
    return {"field": str(field), "runs": added, "including": including}


def completions(facts: Facts, params: Mapping[str, Any]) -> JsonResult[CompletionList]:
    table, text = facts.table(), get_str(params, "query")
    caret = get_int(params, "caret", default=len(text), minimum=0, maximum=len(text))
    found = complete(table, text, caret)
    start = found[0].start if found else caret
    rows: list[CompletionRow] = [{"text": one.text, "kind": one.kind, "detail": one.detail} for one in found]
    return JsonResult({"cursor": table.cursor, "start": start, "end": caret, "completions": rows})


def fields(facts: Facts, params: Mapping[str, Any]) -> JsonResult[FieldList]:
    table = facts.table()
    search = get_str(params, "search") if "search" in params else ""
    limit = get_int(params, "limit", default=100, minimum=1, maximum=_MAX_FIELDS)
    total, found = list_fields(table, _rows(table, params), search[:MAX_CHARS], limit=limit)
    return JsonResult({"cursor": table.cursor, "total": total, "fields": found})


def columns(facts: Facts, params: Mapping[str, Any]) -> ArrowResult[FactsHead]:
    table = facts.table()
    names, rows = parse_strings(params.get("fields"), "fields"), _rows(table, params)
    if len(names) > _MAX_COLUMNS or len(names) * len(rows) > _MAX_CELLS:
        raise UsageError(f"Request at most {_MAX_COLUMNS} columns and {_MAX_CELLS:,} cells.")
    heads: list[FactColumn | BrokenColumn] = []
    tables = []
    for name in names:
        try:
            field = select_field(table, name)
        except QueryError as error:
            heads.append({"field": name, "problem": error.document()})
            continue
        head, own = fact_column(name, field, table.column(field), rows)
        heads.append(head)
        tables.append(own)
    return ArrowResult({"cursor": table.cursor, "runs": _ids(table, rows), "columns": heads}, tables)


def groups(facts: Facts, params: Mapping[str, Any]) -> JsonResult[GroupsResponse]:
    table = facts.table().fork()  # a condition becomes a column of it
    rows = _rows(table, params)
    try:
        by = select_groups(table, get_str(params, "by"))
        metric = select_field(table, get_str(params, "metric")) if params.get("metric") is not None else None
    except QueryError as error:
        return JsonResult({"cursor": table.cursor, "by": [], "groups": [], "problem": error.document()})
    found = group_rows(table, rows, list(by.values()))
    described: list[GroupRow] = [{"key": list(group.key.values()), "runs": _ids(table, group.rows)} for group in found]
    for row, mean in zip(described, _means(table, metric, found), strict=False):
        row["mean"] = mean
    return JsonResult(
        {
            "cursor": table.cursor,
            "by": [{"name": name, "field": str(field), "type": table.column(field).type} for name, field in by.items()],
            "groups": described,
            "problem": None,
        }
    )


def _means(table: FactTable, metric: Field | None, found: list[Group]) -> list[GroupMean]:
    """Returns the mean of a metric for each group, or none if it is not a number."""
    column = None if metric is None else table.column(metric)
    if column is None or isinstance(column, TextsColumn) or column.type in ("text", "boolean"):
        return []
    means = group_means(column.numbers, [group.rows for group in found])
    halves = means.half_widths()
    return [
        {"mean": mean, "half": half, "n": n}
        for mean, half, n in zip(means.mean.tolist(), halves.tolist(), means.n.tolist(), strict=True)
    ]


def seeds(facts: Facts, params: Mapping[str, Any]) -> JsonResult[SeedsResponse]:
    table = facts.table()
    found = seed_grouping(table, _rows(table, params))
    if found is None:
        return JsonResult({"cursor": table.cursor, "seed": None, "by": "", "groups": []})
    by = ", ".join(str(field) for field in found.by)
    members = [_ids(table, group.rows) for group in found.groups]
    return JsonResult({"cursor": table.cursor, "seed": str(found.seed), "by": by, "groups": members})


def _rows(table: FactTable, params: Mapping[str, Any]) -> NDArray[np.int64]:
    return np.array(select_rows(table.runs, params.get("runs")), np.int64)


def _ids(table: FactTable, rows: NDArray[np.int64]) -> list[str]:
    return [table.runs[row].id for row in rows.tolist()]


ROUTES = (
    FactsRoute("query", query, "The runs that a query selects"),
    FactsRoute("query/complete", completions, "What can stand at the caret in a query"),
    FactsRoute("facts", columns, "Facts about runs, a column for each"),
    FactsRoute("facts/fields", fields, "The facts that there are, by a search"),
    FactsRoute("groups", groups, "Groups of runs with equal facts"),
    FactsRoute("groups/seeds", seeds, "Groups of runs that differ only in their seed"),
)
