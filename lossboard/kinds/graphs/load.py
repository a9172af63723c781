"""Loads the graph that a request names, folded, from a cache by content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, get_args

from lossboard.errors import UsageError
from lossboard.kinds.graphs.decode import GraphStep, graphs
from lossboard.kinds.graphs.model import Graph
from lossboard.kinds.graphs.roles import Detail
from lossboard.kinds.params import get_str

if TYPE_CHECKING:
    from lossboard.kinds.context import Context

_MAX_CACHED_NODES = 500_000
_NODE_OVERHEAD = 100


def load_graph(context: Context, params: Mapping[str, Any]) -> tuple[GraphStep, Graph]:
    """Returns the newest graph of `run` and `tag` at `detail`."""
    run, tag, detail = context.find_run(params.get("run")), get_str(params, "tag"), _detail(params)
    series = graphs(run, tag)
    if not len(series):
        raise LookupError(f"Run {run.name!r} has no graph {tag!r}.")
    at = len(series) - 1
    cache = context.caches.get("graphs", max_size=_MAX_CACHED_NODES)
    key = (run.id, tag, detail, int(series.steps[at]), float(series.wall_times[at]))
    if (known := cache.get(key)) is None:
        point = series[at]
        known = (point, Graph(point.nodes, detail))
        cache.put(key, known, size=len(point.nodes) + _NODE_OVERHEAD)
    return known


def _detail(params: Mapping[str, Any]) -> Detail:
    name = params.get("detail", "compute")
    detail: Detail | None = next((one for one in get_args(Detail) if one == name), None)
    if detail is None:
        raise UsageError(f'Expected "detail" to be one of {", ".join(get_args(Detail))}.')
    return detail
