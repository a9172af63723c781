"""Graph of an ONNX model: inputs and outputs as variables, then operations, each named by its first output."""

from __future__ import annotations

import os
from typing import Any

from lossboard.events.wire import bytes_field, uint_field
from lossboard.kinds.graphs.encode import GraphNode, encode_shape, text_attribute


def read_onnx(path: str | os.PathLike[str]) -> list[GraphNode]:
    import onnx

    graph = onnx.load(os.fspath(path)).graph
    return [_variable(value) for value in (*graph.input, *graph.output)] + [_operation(node) for node in graph.node]


def _variable(value: Any) -> GraphNode:
    tensor = value.type.tensor_type
    shape = encode_shape([dim.dim_value for dim in tensor.shape.dim])
    attributes = {"dtype": uint_field(6, tensor.elem_type), "shape": bytes_field(7, shape)}
    return GraphNode(value.name, "Variable", attributes=attributes)


def _operation(node: Any) -> GraphNode:
    settings = ", ".join(" = ".join(str(value) for _, value in item.ListFields()) for item in node.attribute)
    return GraphNode(
        node.output[0], node.op_type, list(node.input), attributes={"parameters": text_attribute(settings)}
    )
