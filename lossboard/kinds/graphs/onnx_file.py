"""Graph of an ONNX file, read without its weights and without the `onnx` package.

    ModelProto      graph 7
    GraphProto      node 1 · initializer 5 · input 11 · output 12 · value_info 13
    NodeProto       input 1 · output 2 · name 3 · op_type 4 · attribute 5 · metadata_props 9
    AttributeProto  name 1 · f 2 · i 3 · s 4 · floats 7 · ints 8 · type 20
    TensorProto     dims 1 · name 8 · raw_data 9 (skipped: its length is known, and the file is mapped, not read)
    ValueInfoProto  name 1 · type 2 {tensor_type 1 {shape 2 {dim 1 {dim_value 1}}}}

A node is named by its scopes: those that torch's exporter writes to `pkg.torch.onnx.name_scopes`, or else the slashes
in its name. Of the metadata, nothing else is read: it holds stack traces with paths of the author's machine. Subgraphs
of control flow are left out.
"""

from __future__ import annotations

import ast
import mmap
from collections.abc import Iterator
from pathlib import Path

from lossboard.errors import DecodeError
from lossboard.events.wire import Message, bytes_field, signed, uint_field
from lossboard.kinds.graphs.encode import GraphNode, text_attribute

_SCOPES = "pkg.torch.onnx.name_scopes"
_FLOAT, _INT, _STRING, _FLOATS, _INTS = 1, 2, 3, 6, 7
_MAX_SHOWN = 200


def read_onnx_file(path: Path) -> list[GraphNode]:
    """Returns the nodes of an ONNX file. Raises DecodeError if it is none."""
    try:
        with path.open("rb") as file:
            # Without `with`: views of the fields keep the map open until they are gone.
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        nodes = _Reader(Message(memoryview(data)).message(7)).nodes()
    except (DecodeError, ValueError) as error:
        raise DecodeError(f"{path} is not a readable ONNX file: {error}") from None
    if not nodes:
        raise DecodeError(f"{path} holds no ONNX graph.")
    return nodes


class _Reader:
    def __init__(self, graph: Message) -> None:
        self.graph = graph
        self.shapes = {value.text(1): _shape(value) for number in (11, 12, 13) for value in graph.messages(number)}
        self.sources: dict[str, str] = {}

    def nodes(self) -> list[GraphNode]:
        parameters = list(self._parameters())
        inputs = [
            GraphNode(name, "Input", [], self.shapes[name])
            for name in (value.text(1) for value in self.graph.messages(11))
            if name not in self.sources
        ]
        self.sources |= {node.name: node.name for node in inputs}
        operations = [(node, _name(node, i)) for i, node in enumerate(self.graph.messages(1))]
        for node, name in operations:
            for port, output in enumerate(node.texts(2)):
                self.sources[output] = f"{name}:{port}" if port else name
        outputs = [
            GraphNode(f"output {value.text(1)}", "Output", self._inputs([value.text(1)]), self.shapes[value.text(1)])
            for value in self.graph.messages(12)
        ]
        return parameters + inputs + [self._operation(node, name) for node, name in operations] + outputs

    def _parameters(self) -> Iterator[GraphNode]:
        for tensor in self.graph.messages(5):
            name = tensor.text(8)
            path = name.replace(".", "/")
            self.sources[name] = path
            yield GraphNode(path, "Parameter", [], [signed(size) for size in tensor.uint64s(1)])

    def _operation(self, node: Message, name: str) -> GraphNode:
        outputs = node.texts(2)
        shape = self.shapes.get(outputs[0]) if outputs else None
        attributes = {found[0]: found[1] for one in node.messages(5) if (found := _attribute(one)) is not None}
        return GraphNode(name, node.text(4), self._inputs(node.texts(1)), shape, attributes)

    def _inputs(self, names: list[str]) -> list[str]:
        return [self.sources.get(name, name) for name in names if name]


def _name(node: Message, number: int) -> str:
    name = node.text(3) or f"{node.text(4)}_{number}"
    scopes = next((prop.text(2) for prop in node.messages(9) if prop.text(1) == _SCOPES), "")
    try:
        modules = ast.literal_eval(scopes) if scopes and len(scopes) < 10_000 else []
    except (ValueError, SyntaxError):
        modules = []
    if not isinstance(modules, list) or not all(isinstance(module, str) for module in modules):
        return name
    return "/".join([*_relative(modules[:-1]), name.replace("/", ".")]) if modules else name


def _relative(modules: list[str]) -> Iterator[str]:
    """Yields `bert`, `encoder`, `layer.0` for the modules ``, `bert`, `bert.encoder`, `bert.encoder.layer.0`."""
    before = ""
    for module in modules:
        if module and module != before:
            yield module.removeprefix(f"{before}.") if before else module
            before = module


def _shape(value: Message) -> list[int] | None:
    tensor = value.message(2).message(1)
    if 2 not in tensor:
        return None
    return [dim.int64(1) if 1 in dim else -1 for dim in tensor.message(2).messages(1)]


def _attribute(attribute: Message) -> tuple[str, bytes] | None:
    """Returns a small attribute as text. Tensors and subgraphs are left out."""
    kind = attribute.uint64(20)
    if kind == _INT:
        return attribute.text(1), uint_field(3, attribute.uint64(3))
    if kind == _FLOAT:
        return attribute.text(1), text_attribute(f"{attribute.float32(2):g}")
    if kind == _STRING and len(attribute.view(4)) < _MAX_SHOWN:
        return attribute.text(1), bytes_field(2, attribute.view(4))
    if kind == _INTS:
        return attribute.text(1), text_attribute(str([signed(one) for one in attribute.uint64s(8)][:_MAX_SHOWN]))
    if kind == _FLOATS:
        return attribute.text(1), text_attribute(str(attribute.float32s(7).tolist()[:_MAX_SHOWN]))
    return None
