"""Encoding of raw tensors with torch's plugin name. Types that NumPy lacks (bfloat16) become float32."""

from __future__ import annotations

from lossboard.events.conversions import as_array
from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_array

_METADATA = encode_metadata("tensor")
_MAX_BYTES = 1 << 31


def encode(tag: str, tensor: object) -> bytes:
    array = as_array(tensor, "A tensor")
    if array.nbytes >= _MAX_BYTES:
        raise ValueError(f"A tensor of {array.nbytes} bytes: an event holds less than 2 GiB")
    return encode_value(tag, TENSOR, encode_array(array), metadata=_METADATA)
