"""Encoding of graphs as GraphDef {node 1, versions 4 {producer 1}}, and of the statistics that TensorBoard requires."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_strings
from lossboard.events.wire import bytes_field, text_field, uint_field

_PRODUCER = 22
_KERAS = encode_metadata("graph_keras_model", b"1")


@dataclass
class GraphNode:
    """A node to write. `shape` is that of its first output, or None if it is unknown."""

    name: str
    op: str
    inputs: list[str] = field(default_factory=list)
    shape: Sequence[int] | None = None
    attributes: dict[str, bytes] = field(default_factory=dict)  # name → AttrValue


def text_attribute(text: str) -> bytes:
    return bytes_field(2, text.encode("utf-8", "replace"))


def encode_graph(nodes: Iterable[GraphNode]) -> bytes:
    return b"".join(bytes_field(1, _node(node)) for node in nodes) + bytes_field(4, uint_field(1, _PRODUCER))


def encode_statistics() -> bytes:
    """Encodes a TaggedRunMetadata {tag 1, run_metadata 2} for one device, without timings."""
    step_stats = bytes_field(1, text_field(1, "/device:CPU:0"))
    return text_field(1, "step1") + bytes_field(2, bytes_field(1, step_stats))


def encode_keras(model_json: str) -> bytes:
    """Encodes a Keras model as TensorBoard's conceptual graph."""
    return encode_value("keras", TENSOR, encode_strings([model_json.encode()], ()), metadata=_KERAS)


def encode_shape(shape: Sequence[int]) -> bytes:
    """Encodes a TensorShapeProto."""
    return b"".join(bytes_field(2, uint_field(1, size)) for size in shape)


def _node(node: GraphNode) -> bytes:
    attributes = dict(node.attributes)
    if node.shape is not None:
        attributes["_output_shapes"] = bytes_field(1, bytes_field(7, encode_shape(node.shape)))
    head = text_field(1, node.name) + text_field(2, node.op)
    inputs = b"".join(text_field(3, name) for name in node.inputs)
    return head + inputs + b"".join(bytes_field(5, _entry(name, value)) for name, value in attributes.items())


def _entry(name: str, value: bytes) -> bytes:
    return text_field(1, name) + bytes_field(2, value)
