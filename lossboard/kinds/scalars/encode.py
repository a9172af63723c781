"""Scalars as Summary values. (The usual one is written by native/event_encode.cpp, on the hot path.)"""

from __future__ import annotations

import numpy as np

from lossboard.events.summary import TENSOR, encode_metadata, encode_simple_value, encode_value
from lossboard.events.tensors import encode_array


def encode(tag: str, value: float, *, double_precision: bool, display_name: str = "", description: str = "") -> bytes:
    """A new-style scalar. TensorBoard's data server shows only float32."""
    number = np.float64(value) if double_precision else _float32(value)
    metadata = encode_metadata("scalars", display_name=display_name, description=description)
    return encode_value(tag, TENSOR, encode_array(number), metadata=metadata)


def encode_simple(tag: str, value: float, *, display_name: str, description: str) -> bytes:
    """An old-style scalar with a name and a description, which tensorboardX can give it."""
    metadata = encode_metadata("scalars", display_name=display_name, description=description)
    return encode_simple_value(tag, float(_float32(value)), metadata=metadata)


def _float32(value: float) -> np.float32:
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes ±inf
        return np.float32(value)
