"""Search in a graph, and the details of one box."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import re2

from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.graphs.documents import GraphAttribute, GraphHit, GraphHits, GraphNeighbor, GraphNode
from lossboard.kinds.graphs.model import Graph, Ints, Op, Scope
from lossboard.kinds.graphs.scope_view import as_list, merged

MAX_HITS = 200
_MAX_WORD = 200
_MAX_NEIGHBORS = 50
_MAX_PARAMETERS = 200
_MAX_ATTRIBUTES = 50
_MAX_LISTED = 64
_PRIVATE = ("stack_trace", "stacktrace", "source_loc", "location", "doc_string", "pkg.torch")
"""Parts of the names of attributes that hold paths of the author's machine."""


def search(graph: Graph, text: str) -> GraphHits:
    """Finds what matches all words in path, class or operation. Each word may be a regular expression."""
    words = [_compile(word) for word in text.split()[:16]]
    hits: list[GraphHit] = []
    total = 0
    for i, (child, haystack) in enumerate(_searchable(graph)):
        if i % 1024 == 0:
            check_cancelled()
        if words and all(word.search(haystack) for word in words):
            total += 1
            if len(hits) < MAX_HITS:
                hits.append(
                    {
                        "path": child.path,
                        "label": child.label,
                        "type": child.type if isinstance(child, Scope) else child.op,
                        "kind": "scope" if isinstance(child, Scope) else "op",
                    }
                )
    return {"total": total, "hits": hits}


def _searchable(graph: Graph) -> Iterator[tuple[Scope | Op, str]]:
    """Yields what search finds, with its text. A scope that is merged with its only operation is found once."""
    for scope in graph.scopes.values():
        if scope.parent is None or scope.is_chunk:
            continue
        inner = merged(scope)[1]
        yield scope, f"{scope.path} {scope.type} {inner.op if isinstance(inner, Op) else ''}"
    for op in graph.ops:
        if len(op.scope.children) > 1 or op.scope.parent is None:
            yield op, f"{op.path} {op.op}"


def _compile(word: str) -> Any:
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    word = word[:_MAX_WORD]
    try:
        return re2.compile(word, options)
    except re2.error:
        return re2.compile(re2.escape(word), options)


def describe_node(graph: Graph, path: str) -> GraphNode:
    found = graph.by_path.get(path) or graph.scopes.get(path)
    if found is None or found is graph.root:
        raise LookupError(f"This graph has no node {path[:200]!r}. It may be hidden: choose another detail.")
    inner = merged(found)[1]
    start, end = (inner.index, inner.index + 1) if isinstance(inner, Op) else (inner.start, inner.end)
    into = graph.edges_into(start, end)
    outer = _is_outside(graph.edges.source[into], start, end)
    leaving = graph.edges_from(start, end)
    leaving = leaving[_is_outside(graph.edges.target[leaving], start, end)]
    parameters = list({one.path: one for op in graph.ops[start:end] for one in op.parameters}.values())
    unknown = graph.total_of("unknown", start, end)
    node: GraphNode = {
        "path": path,
        "name": inner.node.name[:2000] if isinstance(inner, Op) else path,
        "type": (found.type if isinstance(found, Scope) else "") or (inner.op if isinstance(inner, Op) else "scope"),
        "device": next((op.node.device for op in graph.ops[start:end]), ""),
        "shape": as_list(inner.shape) if isinstance(inner, Op) else None,
        "inputs": _neighbors(graph, graph.edges.source[into][outer], graph.edges.shape[into][outer]),
        "outputs": _neighbors(graph, graph.edges.target[leaving], graph.edges.shape[leaving]),
        "parameters": [
            {"path": one.path, "name": _relative(one.path, path), "shape": as_list(one.shape), "count": one.count}
            for one in parameters[:_MAX_PARAMETERS]
        ],
        "parameter_count": sum(one.count for one in parameters),
        "more_parameters": max(0, len(parameters) - _MAX_PARAMETERS),
        "flops": graph.total_of("flops", start, end) if unknown < end - start else None,
        "ops": end - start,
        "hidden": found.hidden if isinstance(found, Scope) else 0,
        "attributes": _attributes(inner) if isinstance(inner, Op) else [],
    }
    if isinstance(inner, Op):
        node["op"] = inner.node.op
    return node


def _is_outside(ops: Ints, start: int, end: int) -> Any:
    return (ops < start) | (ops >= end)


def _neighbors(graph: Graph, ops: Ints, shapes: Ints) -> list[GraphNeighbor]:
    by_op = dict(zip(ops.tolist(), shapes.tolist(), strict=True))
    return [
        {"path": graph.ops[op].path, "label": _title(graph.ops[op]), "shape": as_list(graph.shapes[shape])}
        for op, shape in islice(by_op.items(), _MAX_NEIGHBORS)
    ]


def _title(op: Op) -> str:
    """Returns the module if it is nothing but this operation, else the operation and where it is."""
    scope = op.scope
    if scope.parent is None:
        return op.label
    return scope.path if len(scope.children) == 1 else f"{scope.path}/{op.label}"


def _relative(path: str, scope: str) -> str:
    return path.removeprefix(f"{scope}/") if path.startswith(f"{scope}/") else path.rsplit("/", 1)[-1]


def _attributes(op: Op) -> list[GraphAttribute]:
    found: list[GraphAttribute] = []
    for attribute in islice(op.node.attributes, 4 * _MAX_ATTRIBUTES):
        name = attribute.name[:200]
        if name == "_output_shapes" or any(part in name.lower() for part in _PRIVATE):
            continue
        if attribute.value in (None, "", "{}") and attribute.size < 8:
            continue
        found.append({"name": name, "value": _text(attribute.value), "size": attribute.size})
    return found[:_MAX_ATTRIBUTES]


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, list):
        more = f", … {len(value):,} in all" if len(value) > _MAX_LISTED else ""
        return f"[{', '.join(map(str, value[:_MAX_LISTED]))}{more}]"
    if isinstance(value, dict):  # a tensor
        return f"{value['dtype']} {value['shape']}"
    return str(value)[:2000]
