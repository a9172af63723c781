"""Weights of a checkpoint on disk, read without a framework: finds values that are NaN or infinite.

A safetensors file has the size of its header in 8 bytes, a JSON header with the dtype and position of each tensor, and
the tensors. Integers and the 8-bit floats of quantized models are not checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

_FLOATS = {"F64": np.float64, "F32": np.float32, "F16": np.float16}
# A bfloat16 is not finite if all bits of its exponent are set.
_BF16_EXPONENT = 0x7F80
# Tensors are read in parts of this size. Mapped files would stay in memory.
_CHUNK_BYTES = 1 << 22


def non_finite_weights(folder: Path) -> list[str]:
    """Returns the names of the weights that contain NaN or infinity."""
    return [name for file in sorted(folder.glob("*.safetensors")) for name in _non_finite(file)]


def _non_finite(file: Path) -> Iterator[str]:
    with file.open("rb", buffering=0) as stored:
        size = int.from_bytes(stored.read(8), "little")
        header = json.loads(stored.read(size))
        for name, entry in header.items():
            if name == "__metadata__":
                continue
            start, stop = (8 + size + offset for offset in entry["data_offsets"])
            if not all(_is_finite(part, entry["dtype"]) for part in _parts(stored, start, stop)):
                yield name


def _parts(stored: BinaryIO, start: int, stop: int) -> Iterator[bytes]:
    stored.seek(start)
    for position in range(start, stop, _CHUNK_BYTES):
        yield stored.read(min(_CHUNK_BYTES, stop - position))


def _is_finite(data: bytes, dtype: str) -> bool:
    if dtype == "BF16":
        return bool(((np.frombuffer(data, np.uint16) & _BF16_EXPONENT) != _BF16_EXPONENT).all())
    return dtype not in _FLOATS or bool(np.isfinite(np.frombuffer(data, _FLOATS[dtype])).all())
