"""The content of one scope: its boxes, bundles of edges between them, and ports at its borders."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from lossboard.kinds.graphs.documents import GraphEdge, GraphItem, GraphPort, GraphScope
from lossboard.kinds.graphs.fold import Shape
from lossboard.kinds.graphs.model import Graph, Ints, Op, Scope
from lossboard.kinds.graphs.repeats import Group, group_repeats

MAX_PORTS = 8
MAX_LINES = 4
"""Parameters that a box lists."""
MIN_BOXES, MAX_BOXES = 10, 40
"""Boxes of the first picture. Scopes are opened until there are at least as many, and not if there would be more."""


def first_opened(graph: Graph) -> list[str]:
    """Returns the boxes that are open in the first picture."""
    boxes = describe_scope(graph, graph.root, is_split=False)["items"]
    opened: list[str] = []
    depth = {box["path"]: 0 for box in boxes}
    while len(boxes) < MIN_BOXES:
        for box in sorted(
            (box for box in boxes if is_openable(box)), key=lambda box: (depth[box["path"]], -box["ops"])
        ):
            inside = describe_scope(graph, graph.scopes[box["path"]], is_split=False)["items"]
            if len(boxes) - 1 + len(inside) <= MAX_BOXES:
                break
        else:
            return opened
        opened.append(box["path"])
        boxes = [other for other in boxes if other is not box] + inside
        depth |= {child["path"]: depth[box["path"]] + 1 for child in inside}
    return opened


def is_openable(item: GraphItem) -> bool:
    return item["kind"] in ("scope", "repeat")


def describe_scope(graph: Graph, scope: Scope, *, is_split: bool) -> GraphScope:
    """Describes the content of a scope. If it is split, equal blocks are not folded."""
    children = scope.children
    groups = [[child] for child in children] if is_split else group_repeats(graph, children)
    item_of = _items_by_child(groups, children)
    starts = np.array([_range(child)[0] for child in children] or [0], np.int64)

    def items(ops: Ints) -> Ints:
        return item_of[np.searchsorted(starts, ops, side="right") - 1]

    edges = graph.edges
    into = graph.edges_into(scope.start, scope.end)
    source, target, shape = edges.source[into], edges.target[into], edges.shape[into]
    inside = (source >= scope.start) & (source < scope.end)
    inputs = _ports(graph, source[~inside], items(target[~inside]), shape[~inside])
    leaving = graph.edges_from(scope.start, scope.end)
    leaving = leaving[(edges.target[leaving] < scope.start) | (edges.target[leaving] >= scope.end)]
    outputs = _ports(graph, edges.source[leaving], items(edges.source[leaving]), edges.shape[leaving])
    return {
        "path": scope.path,
        "items": [_item(graph, group, is_split=is_split) for group in groups],
        "edges": _bundles(graph, items(source[inside]), items(target[inside]), source[inside], shape[inside]),
        "inputs": inputs[:MAX_PORTS],
        "outputs": outputs[:MAX_PORTS],
        "more_inputs": max(0, len(inputs) - MAX_PORTS),
    }


def _items_by_child(groups: list[Group], children: list[Scope | Op]) -> Ints:
    places = {id(child): i for i, group in enumerate(groups) for child in group}
    return np.array([places[id(child)] for child in children] or [0], np.int64)


def _range(child: Scope | Op) -> tuple[int, int]:
    return (child.index, child.index + 1) if isinstance(child, Op) else (child.start, child.end)


def merged(child: Scope | Op) -> tuple[list[str], Scope | Op]:
    """Follows scopes with a single child. Returns their labels and the innermost one."""
    labels = [child.label]
    while isinstance(child, Scope) and len(child.children) == 1:
        child = child.children[0]
        if isinstance(child, Op):
            return labels, child
        labels.append(child.label)
    return labels, child


def _item(graph: Graph, group: Group, *, is_split: bool) -> GraphItem:
    first = group[0]
    labels, inner = merged(first)
    if isinstance(inner, Scope) and len(group) == 1 and not inner.is_chunk and not is_split:
        repeats = group_repeats(graph, inner.children)
        if len(repeats) == 1 and len(repeats[0]) > 1:  # a scope that holds nothing but equal blocks
            folded = _item(graph, repeats[0], is_split=False)
            folded["outer"] = first.path
            folded["label"] = graph.paths.separator.join([*labels, folded["label"]])
            return folded
    ranges = [_range(child) for child in group]
    ops = sum(last - first for first, last in ranges)
    unknown = sum(graph.total_of("unknown", *each) for each in ranges)
    item: GraphItem = {
        "path": inner.path,
        "outer": first.path,
        "label": graph.paths.separator.join(labels),
        "kind": _kind(inner),
        "type": _type(first, inner),
        "start": min(first for first, _ in ranges),
        "end": max(last for _, last in ranges),
        "ops": ops,
        "hidden": sum(child.hidden for child in group if isinstance(child, Scope)),
        "parameters": int(sum(graph.total_of("parameters", *each) for each in ranges)),
        "flops": sum(graph.total_of("flops", *each) for each in ranges) if unknown < ops else None,
        "unknown_flops": int(unknown),
        "device": _device(graph, *ranges[0]),
        "shape": as_list(inner.shape) if isinstance(inner, Op) else None,
    }
    if isinstance(inner, Op):
        item["op"] = inner.op
        item["lines"] = [{"name": one.name, "shape": as_list(one.shape)} for one in inner.parameters[:MAX_LINES]]
    if len(group) > 1:
        item["kind"] = "repeat" if isinstance(inner, Scope) else item["kind"]
        item["label"] = _common_label(group)
        item["members"] = [merged(child)[1].path for child in group]
        item["member_labels"] = [child.label for child in group]
    return item


def _kind(inner: Scope | Op) -> Literal["op", "input", "output", "scope"]:
    if isinstance(inner, Scope):
        return "scope"
    return "input" if inner.role == "input" else "output" if inner.role == "output" else "op"


def _type(first: Scope | Op, inner: Scope | Op) -> str:
    if isinstance(first, Scope):
        return first.type or (inner.op if isinstance(inner, Op) else inner.type)
    return first.op


def _common_label(group: Group) -> str:
    return group[0].label.rstrip("0123456789").rstrip("._-") or group[0].label


def _device(graph: Graph, start: int, end: int) -> str:
    """Returns the device of a range if all of it is on one."""
    devices = {op.node.device for op in graph.ops[start:end]}
    return devices.pop() if len(devices) == 1 else ""


def _bundles(graph: Graph, source_item: Ints, target_item: Ints, source: Ints, shape: Ints) -> list[GraphEdge]:
    between = source_item != target_item
    source_item, target_item, source, shape = (values[between] for values in (source_item, target_item, source, shape))
    if not len(source):
        return []
    pairs = source_item << 32 | target_item
    bundles: list[GraphEdge] = []
    order = np.argsort(pairs, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(pairs[order])) + 1):
        shapes = np.unique(shape[rows])
        bundles.append(
            {
                "source": int(source_item[rows[0]]),
                "target": int(target_item[rows[0]]),
                "count": len(rows),
                "shape": _largest(graph, shapes),
                "shapes": len(shapes),
                "ops": list(dict.fromkeys(source[rows].tolist()))[:MAX_PORTS],
            }
        )
    return bundles


def _ports(graph: Graph, ops: Ints, items: Ints, shape: Ints) -> list[GraphPort]:
    """Returns a port for each operation, in the order of its first use."""
    if not len(ops):
        return []
    unique, first = np.unique(ops, return_index=True)
    ports: list[GraphPort] = []
    for op in unique[np.argsort(first, kind="stable")].tolist():
        rows: npt.NDArray[np.bool_] = ops == op
        ports.append(
            {
                "op": op,
                "label": graph.ops[op].label,
                "path": graph.ops[op].path,
                "items": np.unique(items[rows]).tolist(),
                "shape": _largest(graph, np.unique(shape[rows])),
            }
        )
        if len(ports) > 4 * MAX_PORTS:
            break
    return ports


def _largest(graph: Graph, shapes: Ints) -> list[int] | None:
    known = [found for index in shapes.tolist() if (found := graph.shapes[index]) is not None]
    return as_list(max(known, key=lambda shape: math.prod(map(abs, shape)), default=None))


def as_list(shape: Shape | None) -> list[int] | None:
    return None if shape is None else list(shape)
