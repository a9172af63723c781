"""Routes of graphs: which there are, the first picture, scopes as they are opened, search, and details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lossboard.kinds.context import Context
from lossboard.kinds.graphs.decode import PLUGINS, graphs
from lossboard.kinds.graphs.details import describe_node, search
from lossboard.kinds.graphs.documents import (
    GraphHead,
    GraphHits,
    GraphList,
    GraphLogged,
    GraphNode,
    GraphScope,
    GraphScopes,
    GraphSeries,
)
from lossboard.kinds.graphs.load import load_graph
from lossboard.kinds.graphs.logged import MAX_TAGS, logged_values
from lossboard.kinds.graphs.model import MAX_NODES, Graph
from lossboard.kinds.graphs.scope_view import describe_scope, first_opened
from lossboard.kinds.json_numbers import number
from lossboard.kinds.params import get_objects, get_str
from lossboard.kinds.routes import JsonResult, Route

_MAX_SCOPES = 200


def series(context: Context, params: Mapping[str, Any]) -> JsonResult[GraphList]:
    cursor = context.logdir.cursor
    found: list[GraphSeries] = []
    for run, infos in context.index.of(context.select_runs(params.get("runs"))):
        for plugin, tag in infos:
            if plugin in PLUGINS:
                points = graphs(run, tag)
                found.append(
                    {
                        "run": run.id,
                        "tag": tag,
                        "steps": points.steps.tolist(),
                        "walls": points.wall_times.tolist(),
                    }
                )
    return JsonResult({"cursor": cursor, "series": found})


def head(context: Context, params: Mapping[str, Any]) -> JsonResult[GraphHead]:
    point, graph = load_graph(context, params)
    opened = first_opened(graph)
    end = len(graph.ops)
    return JsonResult(
        {
            "run": get_str(params, "run"),
            "tag": get_str(params, "tag"),
            "step": point.step,
            "title": graph.root.label,
            "nodes": graph.total,
            "ops": end,
            "hidden": len(graph.folding.hidden),
            "parameters": int(graph.total_of("parameters", 0, end)),
            "flops": graph.total_of("flops", 0, end),
            "unknown_flops": int(graph.total_of("unknown", 0, end)),
            "opened": opened,
            "scopes": [_scope(graph, path, is_split=False) for path in ["", *opened]],
            "problems": _problems(graph),
        }
    )


def _problems(graph: Graph) -> list[str]:
    problems = []
    if graph.total > MAX_NODES:
        problems.append(f"This graph has {graph.total:,} nodes. The first {MAX_NODES:,} are shown.")
    if graph.folding.missing:
        problems.append(f"{graph.folding.missing:,} inputs name nodes that are not in the graph. They are left out.")
    return problems


def scopes(context: Context, params: Mapping[str, Any]) -> JsonResult[GraphScopes]:
    _, graph = load_graph(context, params)
    wanted = get_objects(params, "scopes", maximum=_MAX_SCOPES)
    return JsonResult(
        {"scopes": [_scope(graph, get_str(one, "path"), is_split=bool(one.get("split"))) for one in wanted]}
    )


def _scope(graph: Graph, path: str, *, is_split: bool) -> GraphScope:
    scope = graph.scopes.get(path)
    if scope is None:
        raise LookupError(f"This graph has no scope {path[:200]!r}.")
    return describe_scope(graph, scope, is_split=is_split)


def find(context: Context, params: Mapping[str, Any]) -> JsonResult[GraphHits]:
    return JsonResult(search(load_graph(context, params)[1], get_str(params, "text")))


def node(context: Context, params: Mapping[str, Any]) -> JsonResult[GraphNode]:
    return JsonResult(describe_node(load_graph(context, params)[1], get_str(params, "path")))


def logged(context: Context, params: Mapping[str, Any]) -> JsonResult[GraphLogged]:
    run = context.find_run(params.get("run"))
    found = logged_values(load_graph(context, params)[1], run)
    return JsonResult(
        {
            "quantities": [
                {
                    "quantity": one.quantity,
                    "steps": one.steps,
                    "places": [
                        {
                            "tag": place.tag,
                            "path": place.path,
                            "values": [None if value is None else number(value) for value in place.values],
                        }
                        for place in one.places
                    ],
                    "unplaced": one.unplaced[:MAX_TAGS],
                }
                for one in found
            ]
        }
    )


ROUTES = (
    Route("series", series, "Graphs of the selected runs", "POST"),
    Route("head", head, "Totals of a graph, and the scopes of its first picture", "POST"),
    Route("scopes", scopes, "The content of scopes: boxes, bundled edges and ports", "POST"),
    Route("search", find, "Scopes and operations that match words", "POST"),
    Route("logged", logged, "Norms of weights and gradients by step, for the parts of the graph", "POST"),
    Route("node", node, "Details of a scope or an operation", "POST"),
)
