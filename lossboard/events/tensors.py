"""Conversion between TensorProto and NumPy.

    TensorProto  dtype 1 · tensor_shape 2 {dim 2 {size 1}} · tensor_content 4 (raw, little-endian) · or a list by type:
                 half_val 13 float_val 5 double_val 6 int_val 7 string_val 8 scomplex_val 9 int64_val 10 bool_val 11
                 dcomplex_val 12 uint32_val 16 uint64_val 17

`tensor_content` is used if it is not empty. A list of one element fills the whole shape. Some writers misplace values:
torch puts uint8 into `uint32_val` and the bits of a *float32* into `half_val`. Both are read. Resources, variants,
float8 and types narrower than a byte are named but not decoded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.events.summary import TENSOR, Value
from lossboard.events.wire import Buffer, Message, bytes_field, uint_field

Array: TypeAlias = npt.NDArray[Any]
Number = TypeVar("Number", bound=np.generic)

STRING, BFLOAT16, HALF = 7, 14, 19

# TensorFlow's DataType numbers, with NumPy's names if it has them
DTYPES = {
    0: "invalid", 1: "float32", 2: "float64", 3: "int32", 4: "uint8", 5: "int16", 6: "int8", STRING: "string",
    8: "complex64", 9: "int64", 10: "bool", 11: "qint8", 12: "quint8", 13: "qint32",
    BFLOAT16: "bfloat16", 15: "qint16", 16: "quint16", 17: "uint16", 18: "complex128", HALF: "float16", 20: "resource",
    21: "variant", 22: "uint32", 23: "uint64",
    24: "float8_e5m2", 25: "float8_e4m3fn", 26: "float8_e4m3fnuz", 27: "float8_e4m3b11fnuz", 28: "float8_e5m2fnuz",
    29: "int4", 30: "uint4", 31: "int2", 32: "uint2",
}  # fmt: skip
_NUMBERS = {name: number for number, name in DTYPES.items()}
_STORED_AS = {"qint8": "int8", "quint8": "uint8", "qint32": "int32", "qint16": "int16", "quint16": "uint16"}
_NUMERIC = frozenset(DTYPES[n] for n in (1, 2, 3, 4, 5, 6, 8, 9, 10, 17, 18, HALF, 22, 23))
_FLOAT_VAL, _DOUBLE_VAL, _STRING_VAL, _SCOMPLEX_VAL, _DCOMPLEX_VAL, _HALF_VAL = 5, 6, 8, 9, 12, 13
_INTEGER_LISTS = (7, 10, 11, 16, 17)

# One stored element may claim to fill any shape. Larger tensors are rejected.
MAX_FILLED = 1 << 22


@dataclass(frozen=True, slots=True)
class Tensor:
    """A TensorProto with known type and shape. Its content is decoded on access."""

    dtype: str
    shape: tuple[int, ...]
    message: Message

    @classmethod
    def parse(cls, data: Buffer) -> Tensor:
        message = Message(data)
        number = message.uint64(1)
        name = DTYPES.get(number % 100, f"dtype_{number}") + ("_ref" if number >= 100 else "")
        dims = message.message(2).messages(2)
        return cls(name, tuple(dim.int64(1) for dim in dims), message)

    @classmethod
    def of(cls, value: Value) -> Tensor:
        """Returns the tensor in a Summary.Value."""
        if value.data_field != TENSOR:
            raise DecodeError(f"The value of {value.tag!r} is not a tensor")
        return cls.parse(value.body)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def array(self) -> Array:
        """Returns the numbers as a read-only array. bfloat16 becomes float32, quantized numbers are as stored."""
        if self.dtype == "bfloat16":
            return self._shaped(_widened(self._half_bits(), bfloat=True))
        name = _STORED_AS.get(self.dtype, self.dtype)
        if name not in _NUMERIC:
            raise DecodeError(f"Tensors of type {self.dtype} cannot be decoded to numbers")
        if content := self.message.view(4):
            dtype = np.dtype(name).newbyteorder("<")
            if len(content) % dtype.itemsize:
                raise DecodeError(f"{len(content)} bytes are not a multiple of the size of {name}")
            return self._shaped(np.frombuffer(content, dtype))
        return self._shaped(self._listed(name))

    def cast(self, dtype: type[Number]) -> npt.NDArray[Number]:
        """Returns real numbers in another type, converted as NumPy does."""
        array = self.array()
        if array.dtype.kind == "c":
            raise DecodeError(f"Expected a tensor of real numbers, got {self.dtype}")
        with np.errstate(all="ignore"):  # NaN to an integer, a signalling NaN to anything
            return array.astype(dtype)

    def strings(self) -> list[bytes]:
        """Returns the elements of a string tensor in row-major order."""
        if self.dtype != "string":
            raise DecodeError(f"Expected a tensor of strings, got {self.dtype}")
        elements = [bytes(v) for v in self.message.views(_STRING_VAL)]
        if len(elements) == 1 and self.size != 1:
            return elements * self._fillable()
        if len(elements) != self.size:
            raise DecodeError(f"The tensor has {len(elements)} strings for the shape {list(self.shape)}")
        return elements

    def string(self) -> bytes:
        """Returns the only element of a string tensor."""
        elements = self.strings()
        if len(elements) != 1:
            raise DecodeError(f"Expected one string, got {len(elements)}")
        return elements[0]

    def _listed(self, name: str) -> Array:
        if name == "float16":
            return _widened(self._half_bits(), bfloat=False)
        if name == "float32":
            return self.message.float32s(_FLOAT_VAL)
        if name == "float64":
            return self.message.float64s(_DOUBLE_VAL)
        if name == "complex64":
            return _pairs(self.message.float32s(_SCOMPLEX_VAL)).view("<c8")
        if name == "complex128":
            return _pairs(self.message.float64s(_DCOMPLEX_VAL)).view("<c16")
        number = next((n for n in _INTEGER_LISTS if n in self.message), _INTEGER_LISTS[0])
        # Negative numbers are stored as 64-bit two's complement, so a cast to a narrower type is exact.
        return np.array(self.message.uint64s(number), np.uint64).astype(name)

    def _half_bits(self) -> npt.NDArray[np.uint64]:
        if content := self.message.view(4):
            if len(content) % 2:
                raise DecodeError(f"{len(content)} bytes are not a multiple of the size of {self.dtype}")
            return np.frombuffer(content, "<u2").astype(np.uint64)
        return np.array(self.message.uint64s(_HALF_VAL), np.uint64)

    def _shaped(self, flat: Array) -> Array:
        if flat.size == 1 and self.size != 1:
            flat = np.broadcast_to(flat, self._fillable())
        if flat.size != self.size or min(self.shape, default=0) < 0:
            raise DecodeError(f"The tensor has {flat.size} numbers for the shape {list(self.shape)}")
        try:
            array = flat.reshape(self.shape)
        except ValueError as error:  # more dimensions than NumPy supports, or an empty shape with huge sizes
            raise DecodeError(f"The shape {list(self.shape)} is not valid: {error}") from None
        array.flags.writeable = False
        return array

    def _fillable(self) -> int:
        if min(self.shape, default=0) < 0 or self.size > MAX_FILLED:
            raise DecodeError(f"One element claims to fill the shape {list(self.shape)}")
        return self.size


def _widened(bits: npt.NDArray[np.uint64], *, bfloat: bool) -> Array:
    if (bits >> np.uint64(16)).any():  # torch: the bits of the float32 that the number came from
        wide = bits.astype(np.uint32).view(np.float32)
        with np.errstate(over="ignore"):
            return wide if bfloat else wide.astype(np.float16)
    if bfloat:
        return (bits << np.uint64(16)).astype(np.uint32).view(np.float32)
    return bits.astype(np.uint16).view(np.float16)


def _pairs(parts: Array) -> Array:
    if len(parts) % 2:
        raise DecodeError(f"{len(parts)} numbers are not pairs of complex numbers")
    return parts


# ---- writing ---------------------------------------------------------------------------------------------------------
def encode_array(array: npt.ArrayLike) -> bytes:
    """Encodes numbers as a TensorProto with raw `tensor_content`."""
    array = np.asarray(array)
    name = array.dtype.name
    if name not in _NUMERIC:
        raise TypeError(f"Tensors of type {name} cannot be logged. Use a NumPy number type or bytes.")
    raw = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()
    return _head(_NUMBERS[name], array.shape) + (bytes_field(4, raw) if raw else b"")


def encode_strings(strings: Sequence[Buffer], shape: Sequence[int] | None = None) -> bytes:
    """Encodes byte strings as a TensorProto. The default `shape` is `[len(strings)]`; use `()` for a single one."""
    elements = b"".join(bytes_field(_STRING_VAL, s) for s in strings)
    return _head(STRING, (len(strings),) if shape is None else shape) + elements


def _head(dtype: int, shape: Sequence[int]) -> bytes:
    dims = b"".join(bytes_field(2, uint_field(1, size)) for size in shape)
    return uint_field(1, dtype) + bytes_field(2, dims)
