"""Encoding of scalars. native/event_encode.cpp encodes the common form, on the hot path."""

from __future__ import annotations

import numpy as np

from lossboard.events.summary import TENSOR, encode_metadata, encode_simple_value, encode_value
from lossboard.events.tensors import encode_array


def encode(tag: str, value: float, *, double_precision: bool, display_name: str = "", description: str = "") -> bytes:
    """Encodes a new-style scalar. TensorBoard's data server shows only float32."""
    number = np.float64(value) if double_precision else _float32(value)
    metadata = encode_metadata("scalars", display_name=display_name, description=description)
    return encode_value(tag, TENSOR, encode_array(number), metadata=metadata)


def encode_simple(tag: str, value: float, *, display_name: str, description: str) -> bytes:
    """Encodes an old-style scalar with the display name and description that tensorboardX allows."""
    metadata = encode_metadata("scalars", display_name=display_name, description=description)
    return encode_simple_value(tag, float(_float32(value)), metadata=metadata)


def _float32(value: float) -> np.float32:
    with np.errstate(over="ignore"):  # values outside of float32 become ±inf
        return np.float32(value)
