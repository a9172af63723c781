"""Adapter for torch's traced graphs, whose classes are not public. No other module uses them.

`tests/kinds/graphs/test_torch_internals.py` fails if a new release of torch changes one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

GET_ATTRIBUTE = "prim::GetAttr"
_MODULE_TYPE = "ClassType"


@dataclass(frozen=True)
class TracedValue:
    name: str
    shape: tuple[int, ...] | None
    """None if it is unknown, or if the value is not a tensor."""
    is_module: bool
    is_used: bool


@dataclass(frozen=True)
class TracedNode:
    operation: str
    scope: str
    """Names of the modules around it, such as `__module.a/__module.a.0`. Empty for attributes."""
    inputs: list[TracedValue]
    outputs: list[TracedValue]
    attributes: dict[str, Any]


@dataclass(frozen=True)
class TracedGraph:
    """A traced module without submodule calls: their nodes are inlined."""

    graph: Any
    """torch's own graph, which users may print."""
    inputs: list[TracedValue]
    outputs: list[TracedValue]
    nodes: list[TracedNode]


def inlined_graph(traced: Any) -> TracedGraph:
    """Reads the graph of a module that `torch.jit.trace` returned."""
    import torch

    graph = traced.graph
    torch._C._jit_pass_inline(graph)
    return TracedGraph(
        graph,
        inputs=[_value(value) for value in graph.inputs()],
        outputs=[_value(value) for value in graph.outputs()],
        nodes=[_node(node) for node in graph.nodes()],
    )


def class_name(traced: Any) -> str:
    """Returns the class of the module that was traced."""
    return str(getattr(traced, "_name", None) or getattr(traced, "original_name", "Module"))


def _node(node: Any) -> TracedNode:
    return TracedNode(
        node.kind(),
        node.scopeName(),
        [_value(value) for value in node.inputs()],
        [_value(value) for value in node.outputs()],
        {name: getattr(node, node.kindOf(name))(name) for name in node.attributeNames()},
    )


def _value(value: Any) -> TracedValue:
    shape = tuple(value.type().sizes()) if value.isCompleteTensor() else None
    return TracedValue(value.debugName(), shape, value.type().kind() == _MODULE_TYPE, bool(value.uses()))
