"""Node of a graph. Its attributes are decoded on access."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lossboard.events.tensors import DTYPES, Tensor
from lossboard.events.wire import Message, signed

MAX_TEXT_BYTES = 2048

# AttrValue: list 1 | s 2 | i 3 | f 4 | b 5 | type 6 | shape 7 | tensor 8 | placeholder 9 | func 10
_KINDS = {1: "list", 2: "string", 3: "int", 4: "float", 5: "bool", 6: "type", 7: "shape", 8: "tensor", 10: "function"}


@dataclass(frozen=True, slots=True)
class Attribute:
    """Attribute of a node. `value` is None if it is too large to show. `size` is in bytes, as stored."""

    name: str
    kind: str
    size: int
    value: Any


@dataclass(frozen=True, slots=True)
class Node:
    """An operation or a layer."""

    name: str
    op: str
    inputs: tuple[str, ...]
    device: str = ""
    raw_attributes: tuple[memoryview, ...] = field(default=(), repr=False)

    @property
    def attributes(self) -> list[Attribute]:
        return [_attribute(Message(entry)) for entry in self.raw_attributes]

    def raw_attribute(self, name: bytes) -> bytes | None:
        """Returns an attribute as stored, without decoding the others."""
        key = b"\x0a" + bytes([len(name)]) + name  # field 1 of the entry
        return next((bytes(entry) for entry in self.raw_attributes if entry[: len(key)] == key), None)


def decode_attribute(raw: bytes) -> Attribute:
    return _attribute(Message(raw))


def _attribute(entry: Message) -> Attribute:
    value, size = entry.message(2), len(entry.view(2))
    which = value.last_of(*_KINDS)
    if which is None:
        return Attribute(entry.text(1), "", size, None)
    shown = _list(value.message(1)) if which == 1 else _single(value, which)
    return Attribute(entry.text(1), _KINDS[which], size, shown)


def _single(value: Message, which: int) -> Any:
    if which == 2:
        return value.text(2) if len(value.view(2)) <= MAX_TEXT_BYTES else None
    if which == 3:
        return value.int64(3)
    if which == 4:
        return value.float32(4)
    if which == 5:
        return value.flag(5)
    if which == 6:
        return DTYPES.get(value.uint64(6), str(value.uint64(6)))
    if which == 7:
        return _shape(value.message(7))
    if which == 8:
        tensor = Tensor.parse(value.view(8))
        return {"dtype": tensor.dtype, "shape": list(tensor.shape)}
    return value.message(10).text(1)


def _list(values: Message) -> list[Any]:
    """Returns the elements of an AttrValue.ListValue, which has the field numbers of AttrValue."""
    which = values.last_of(2, 3, 4, 5, 6, 7)
    if which == 2:
        return values.texts(2) if sum(map(len, values.views(2))) <= MAX_TEXT_BYTES else []
    if which == 3:
        return [signed(n) for n in values.uint64s(3)]
    if which == 4:
        return list(values.float32s(4).tolist())
    if which == 5:
        return [n != 0 for n in values.uint64s(5)]
    if which == 6:
        return [DTYPES.get(n, str(n)) for n in values.uint64s(6)]
    return [_shape(shape) for shape in values.messages(7)]


def _shape(shape: Message) -> list[int] | None:
    """Reads a TensorShapeProto {dim 2 {size 1}, unknown_rank 3}. An unknown rank is None, an unknown size −1."""
    return None if shape.flag(3) else [dim.int64(1) for dim in shape.messages(2)]
