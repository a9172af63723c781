"""A torch module as a graph: traced by torch, named by its modules, as `torch.utils.tensorboard` names it.

A node is `<Class>/<Class>[<attribute>]/…/<value>`; inputs and outputs are below `input/` and `output/`. Parameters are
nodes of the module that holds them, with their shapes (torch leaves those out).
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from lossboard.kinds.graphs.encode import GraphNode, text_attribute

_GET_ATTRIBUTE = "prim::GetAttr"
_MODULE = "ClassType"


def trace(model: Any, inputs: Any, *, strict: bool) -> tuple[Any, list[GraphNode]]:
    """Torch's graph, for those who want to print it, and its nodes. Raises what torch and the model raise.

    A strict trace refuses a model that returns a dict, as those of transformers do. For a picture it does not matter.
    """
    import torch

    trace_module: Any = torch.jit.trace
    by_name = {"example_kwarg_inputs": dict(inputs)} if isinstance(inputs, Mapping) else {"example_inputs": inputs}
    with _quietly_evaluating(model):
        try:
            traced = trace_module(model, strict=strict, check_trace=False, **by_name)
        except RuntimeError:
            if not strict:
                raise
            traced = trace_module(model, strict=False, check_trace=False, **by_name)
        graph = traced.graph
        torch._C._jit_pass_inline(graph)
    return graph, _Reader(graph, traced).nodes()


@contextlib.contextmanager
def _quietly_evaluating(model: Any) -> Iterator[None]:
    """In evaluation mode, module by module restored, and without the tracer's warnings."""
    modules = list(model.modules()) if hasattr(model, "modules") else []
    modes = [module.training for module in modules]
    for module in modules:
        module.training = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode


class _Reader:
    """Reads an inlined graph: first where each value lives, then the nodes with the names of their inputs."""

    def __init__(self, graph: Any, traced: Any) -> None:
        self.graph = graph
        self.root = _class_name(traced)
        self.scopes = {
            path: f"{_class_name(module)}[{path.split('.')[-1]}]"
            for path, module in traced.named_modules(prefix="__module")
        }
        self.parameters = {f"__module.{name}": tuple(p.shape) for name, p in _tensors(traced)}
        self.paths: dict[str, str] = {}  # the value of an attribute → its path from the root
        self.names: dict[str, str] = {}  # a value → the name of its node

    def nodes(self) -> list[GraphNode]:
        inputs = [value for value in self.graph.inputs() if value.uses() and value.type().kind() != _MODULE]
        operations = [(node, self._scope(node)) for node in self.graph.nodes()]
        kept = [(node, scope) for node, scope in operations if not _is_module(node)]
        for node, scope in kept:
            for value in node.inputs():
                self.names[value.debugName()] = f"{scope}/{value.debugName()}"
        for value in inputs:
            self.names[value.debugName()] = f"input/{value.debugName()}"
        for node, scope in kept:
            for value in node.outputs():
                self.names[value.debugName()] = f"{scope}/{value.debugName()}"
        nodes = [_io_node(self.names[value.debugName()], value, []) for value in inputs]
        for i, value in enumerate(self.graph.outputs(), 1):
            nodes.append(_io_node(f"output/output.{i}", value, [self.names[value.debugName()]]))
        return nodes + [self._node(node, value) for node, _ in kept for value in node.outputs()]

    def _node(self, node: Any, value: Any) -> GraphNode:
        name = value.debugName()
        inputs = [self.names[source.debugName()] for source in node.inputs()]
        shape = value.type().sizes() if value.isCompleteTensor() else self.parameters.get(self.paths.get(name, ""))
        return GraphNode(self.names[name], node.kind(), inputs, shape, {"attr": text_attribute(_attributes(node))})

    def _scope(self, node: Any) -> str:
        """`__module.a/__module.a.0` as `Root/Conv[a]/Linear[0]`."""
        path = self._attribute_scope(node) if node.kind() == _GET_ATTRIBUTE else node.scopeName()
        parts = [self.scopes.get(part, part.split(".")[-1]) for part in path.split("/")]
        return "/".join([self.root, *parts]) if any(parts) else self.root

    def _attribute_scope(self, node: Any) -> str:
        parent = self.paths.get(node.input().debugName())
        path = f"{parent or '__module'}.{node.s('name')}"
        self.paths[node.output().debugName()] = path
        steps = path.split(".")
        return "/".join(".".join(steps[:end]) for end in range(2, len(steps) + 1))


def _tensors(traced: Any) -> Iterator[tuple[str, Any]]:
    yield from traced.named_parameters()
    yield from traced.named_buffers()


def _is_module(node: Any) -> bool:
    return bool(node.kind() == _GET_ATTRIBUTE and node.output().type().kind() == _MODULE)


def _class_name(module: Any) -> str:
    return str(getattr(module, "_name", None) or getattr(module, "original_name", "Module"))


def _io_node(name: str, value: Any, inputs: list[str]) -> GraphNode:
    try:
        shape = value.type().sizes()
    except RuntimeError:  # not a tensor
        shape = None
    return GraphNode(name, "IO Node", inputs, shape, {"attr": text_attribute("")})


def _attributes(node: Any) -> str:
    values = {name: getattr(node, node.kindOf(name))(name) for name in node.attributeNames()}
    return str(values).replace("'", " ")  # TensorBoard stumbles over quotes
