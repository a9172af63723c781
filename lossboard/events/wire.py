"""Reading and writing of the protobuf wire format.

A message is a sequence of fields. Each is a varint key (`number << 3 | wire type`) and a value: a varint, 8 bytes,
4 bytes, or a length and that many bytes. Groups (deprecated, and not used in event files) are rejected. Unknown fields
are ignored.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

Buffer: TypeAlias = bytes | bytearray | memoryview
Raw: TypeAlias = int | memoryview

_DOUBLE = struct.Struct("<d")
_FLOAT = struct.Struct("<f")


# ---- reading ---------------------------------------------------------------------------------------------------------
def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """Returns the unsigned varint at `at`, and its end."""
    value = shift = 0
    try:
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFF_FFFF_FFFF_FFFF, at
            shift += 7
            if shift > 63:
                raise DecodeError("A varint has more than 10 bytes")
    except IndexError:
        raise DecodeError("A varint extends past the end of its message") from None


def signed(value: int) -> int:
    """Converts a varint to an int32 or int64. Negative numbers are stored as 64-bit two's complement."""
    return value - (1 << 64) if value >> 63 else value


class Message:
    """The fields of one message by number. Nested messages are parsed on access.

    Accessors follow protobuf. A missing field has its default value. Of a singular field that occurs several times, the
    last value counts, and nested messages are merged. Repeated numbers may be packed, unpacked or both.
    """

    __slots__ = ("_fields",)

    def __init__(self, data: Buffer) -> None:
        view = memoryview(data)
        fields: dict[int, list[Raw]] = {}
        at, end = 0, len(view)
        while at < end:
            key = view[at]
            if key < 0x80:  # nearly all keys and sizes are one byte, and a call would take most of the time
                at += 1
            else:
                key, at = read_varint(view, at)
            wire = key & 7
            value: Raw
            if wire == VARINT:
                value, at = read_varint(view, at)
            else:
                if wire == BYTES:
                    if at < end and (size := view[at]) < 0x80:
                        at += 1
                    else:
                        size, at = read_varint(view, at)
                elif wire in (FIXED64, FIXED32):
                    size = 8 if wire == FIXED64 else 4
                else:
                    raise DecodeError(f"Unsupported wire type {wire}")
                if size > end - at:
                    raise DecodeError(f"A field claims {size} bytes, but only {end - at} are left")
                value = view[at : at + size]
                at += size
            if key >> 3 == 0:
                raise DecodeError("Field number 0 is not valid")
            fields.setdefault(key >> 3, []).append(value)
        self._fields = fields

    def __contains__(self, number: int) -> bool:
        return number in self._fields

    def last_of(self, *numbers: int) -> int | None:
        """Returns the field of a oneof that is set: the last one in the message."""
        return next((n for n in reversed(self._fields) if n in numbers), None)

    def uint64(self, number: int) -> int:
        value = self._fields.get(number, _ZERO)[-1]
        if not isinstance(value, int):
            raise DecodeError(f"Field {number} should be a varint")
        return value

    def int64(self, number: int) -> int:
        return signed(self.uint64(number))

    def flag(self, number: int) -> bool:
        return self.uint64(number) != 0

    def float64(self, number: int) -> float:
        return self._fixed(number, _DOUBLE)

    def float32(self, number: int) -> float:
        return self._fixed(number, _FLOAT)

    def view(self, number: int) -> memoryview:
        """Returns a bytes field without a copy."""
        return _view(self._fields.get(number, _EMPTY)[-1], number)

    def blob(self, number: int) -> bytes:
        return bytes(self.view(number))

    def text(self, number: int) -> str:
        return str(self.view(number), "utf-8", "replace")

    def views(self, number: int) -> list[memoryview]:
        return [_view(v, number) for v in self._fields.get(number, ())]

    def texts(self, number: int) -> list[str]:
        return [str(v, "utf-8", "replace") for v in self.views(number)]

    def message(self, number: int) -> Message:
        parts = self.views(number)
        return Message(parts[0] if len(parts) == 1 else b"".join(parts))

    def messages(self, number: int) -> list[Message]:
        return [Message(v) for v in self.views(number)]

    def float64s(self, number: int) -> npt.NDArray[np.float64]:
        return np.frombuffer(self._packed(number, 8), "<f8")

    def float32s(self, number: int) -> npt.NDArray[np.float32]:
        return np.frombuffer(self._packed(number, 4), "<f4")

    def uint64s(self, number: int) -> list[int]:
        """Returns repeated varints, unsigned; see `signed`."""
        values: list[int] = []
        for raw in self._fields.get(number, ()):
            if isinstance(raw, int):
                values.append(raw)
                continue
            at = 0
            while at < len(raw):
                value, at = read_varint(raw, at)
                values.append(value)
        return values

    def map(self, number: int) -> dict[str, Message]:
        """Returns the entries of a map field by their string keys. The value of an entry is field 2."""
        return {entry.text(1): entry for entry in self.messages(number)}

    def _fixed(self, number: int, layout: struct.Struct) -> float:
        if number not in self._fields:
            return 0.0
        raw = self.view(number)
        if len(raw) != layout.size:
            raise DecodeError(f"Expected {layout.size} bytes in field {number}, got {len(raw)}")
        value: float = layout.unpack(raw)[0]
        return value

    def _packed(self, number: int, size: int) -> Buffer:
        parts = self.views(number)
        raw: Buffer = parts[0] if len(parts) == 1 else b"".join(parts)
        if len(raw) % size:
            raise DecodeError(f"Field {number} has {len(raw)} bytes, not a multiple of {size}")
        return raw


_ZERO: list[Raw] = [0]
_EMPTY: list[Raw] = [memoryview(b"")]


def _view(raw: Raw, number: int) -> memoryview:
    if isinstance(raw, int):
        raise DecodeError(f"Field {number} should be bytes, got a varint")
    return raw


# ---- writing ---------------------------------------------------------------------------------------------------------
def varint(value: int) -> bytes:
    """Encodes a varint. A negative number is stored as 64-bit two's complement, in ten bytes."""
    if 0 <= value < 0x80:
        return bytes((value,))
    value &= 0xFFFF_FFFF_FFFF_FFFF
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def uint_field(number: int, value: int) -> bytes:
    """Encodes a varint field of any integer type. The default 0 is left out, as in proto3."""
    return varint(number << 3 | VARINT) + varint(value) if value else b""


def bytes_field(number: int, value: Buffer) -> bytes:
    """Encodes a bytes, string or message field, also an empty one: it may be an element of a repeated field."""
    return b"".join((varint(number << 3 | BYTES), varint(len(value)), value))


def text_field(number: int, value: str) -> bytes:
    """Encodes a string field. The empty default is left out."""
    return bytes_field(number, value.encode("utf-8", "replace")) if value else b""


def double_field(number: int, value: float) -> bytes:
    return varint(number << 3 | FIXED64) + _DOUBLE.pack(value)


def float_field(number: int, value: float) -> bytes:
    """Encodes a float field. Values outside of float32 become ±inf, as in protobuf."""
    try:
        packed = _FLOAT.pack(value)
    except OverflowError:
        packed = _FLOAT.pack(float("inf") if value > 0 else float("-inf"))
    return varint(number << 3 | FIXED32) + packed


def doubles_field(number: int, values: npt.ArrayLike) -> bytes:
    """Encodes packed repeated doubles."""
    return bytes_field(number, np.ascontiguousarray(values, "<f8").tobytes())


def uints_field(number: int, values: Iterable[int]) -> bytes:
    """Encodes packed repeated varints."""
    return bytes_field(number, b"".join(map(varint, values)))
