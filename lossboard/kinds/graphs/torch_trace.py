"""Graph of a torch module: traced by torch, with the node names of `torch.utils.tensorboard`.

A node is `<Class>/<Class>[<attribute>]/…/<value>`. Inputs and outputs are below `input/` and `output/`. Parameters are
nodes of the module that holds them. They have shapes, which torch leaves out.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from lossboard.kinds.graphs.encode import GraphNode, text_attribute
from lossboard.kinds.graphs.torch_internals import (
    GET_ATTRIBUTE,
    TracedGraph,
    TracedNode,
    TracedValue,
    class_name,
    inlined_graph,
)


def trace(model: Any, inputs: Any, *, strict: bool) -> tuple[Any, list[GraphNode]]:
    """Returns torch's graph, which users may print, and its nodes. Raises what torch and the model raise.

    A strict trace rejects a model that returns a dict, such as those of transformers, and is then repeated without.
    """
    import torch

    trace_module: Any = torch.jit.trace
    by_name = {"example_kwarg_inputs": dict(inputs)} if isinstance(inputs, Mapping) else {"example_inputs": inputs}
    with _evaluation_mode(model), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tracer's
        try:
            traced = trace_module(model, strict=strict, check_trace=False, **by_name)
        except RuntimeError:
            if not strict:
                raise
            traced = trace_module(model, strict=False, check_trace=False, **by_name)
        graph = inlined_graph(traced)
    return graph.graph, _NodeBuilder(graph, traced).nodes()


@contextlib.contextmanager
def _evaluation_mode(model: Any) -> Iterator[None]:
    """Sets evaluation mode, and then restores the mode of each module."""
    modules = list(model.modules()) if hasattr(model, "modules") else []
    modes = [module.training for module in modules]
    for module in modules:
        module.training = False
    try:
        yield
    finally:
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode


class _NodeBuilder:
    """Names all values first, then builds the nodes with the names of their inputs."""

    def __init__(self, graph: TracedGraph, traced: Any) -> None:
        self.graph = graph
        self.root = class_name(traced)
        self.scopes = {
            path: f"{class_name(module)}[{path.split('.')[-1]}]"
            for path, module in traced.named_modules(prefix="__module")
        }
        self.parameters = {f"__module.{name}": tuple(p.shape) for name, p in _tensors(traced)}
        self.paths: dict[str, str] = {}  # value of an attribute → its path from the root
        self.names: dict[str, str] = {}  # value → name of its node

    def nodes(self) -> list[GraphNode]:
        inputs = [value for value in self.graph.inputs if value.is_used and not value.is_module]
        scoped = [(node, self._scope(node)) for node in self.graph.nodes]
        kept = [(node, scope) for node, scope in scoped if not _is_module(node)]
        for node, scope in kept:
            self._name(node.inputs, scope)
        self._name(inputs, "input")
        for node, scope in kept:
            self._name(node.outputs, scope)
        nodes = [_io_node(self.names[value.name], value, []) for value in inputs]
        for i, value in enumerate(self.graph.outputs, 1):
            nodes.append(_io_node(f"output/output.{i}", value, [self.names[value.name]]))
        return nodes + [self._node(node, value) for node, _ in kept for value in node.outputs]

    def _name(self, values: list[TracedValue], scope: str) -> None:
        for value in values:
            self.names[value.name] = f"{scope}/{value.name}"

    def _node(self, node: TracedNode, value: TracedValue) -> GraphNode:
        inputs = [self.names[source.name] for source in node.inputs]
        shape = value.shape
        if shape is None:
            shape = self.parameters.get(self.paths.get(value.name, ""))
        attributes = str(node.attributes).replace("'", " ")  # TensorBoard cannot show quotes
        return GraphNode(self.names[value.name], node.operation, inputs, shape, {"attr": text_attribute(attributes)})

    def _scope(self, node: TracedNode) -> str:
        """Returns `Root/Conv[a]/Linear[0]` for the torch scope `__module.a/__module.a.0`."""
        path = self._attribute_scope(node) if node.operation == GET_ATTRIBUTE else node.scope
        parts = [self.scopes.get(part, part.split(".")[-1]) for part in path.split("/")]
        return "/".join([self.root, *parts]) if any(parts) else self.root

    def _attribute_scope(self, node: TracedNode) -> str:
        parent = self.paths.get(node.inputs[0].name)
        path = f"{parent or '__module'}.{node.attributes['name']}"
        self.paths[node.outputs[0].name] = path
        names = path.split(".")
        return "/".join(".".join(names[:end]) for end in range(2, len(names) + 1))


def _tensors(traced: Any) -> Iterator[tuple[str, Any]]:
    yield from traced.named_parameters()
    yield from traced.named_buffers()


def _is_module(node: TracedNode) -> bool:
    return node.operation == GET_ATTRIBUTE and node.outputs[0].is_module


def _io_node(name: str, value: TracedValue, inputs: list[str]) -> GraphNode:
    return GraphNode(name, "IO Node", inputs, value.shape, {"attr": text_attribute("")})
