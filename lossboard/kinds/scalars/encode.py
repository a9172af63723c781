"""Scalars as tensors. (The usual float32 scalar is encoded in native/event_encode.cpp, on the hot path.)"""

from __future__ import annotations

import numpy as np

from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_array

_METADATA = encode_metadata("scalars")


def encode(tag: str, value: float, *, double_precision: bool) -> bytes:
    """A new-style scalar. TensorBoard's data server shows only float32."""
    with np.errstate(over="ignore"):  # what float32 cannot hold becomes ±inf
        number = np.float64(value) if double_precision else np.float32(value)
    return encode_value(tag, TENSOR, encode_array(number), metadata=_METADATA)
