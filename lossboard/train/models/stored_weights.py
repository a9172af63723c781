"""Weights of a checkpoint on disk, read without a framework: finds values that are NaN or infinite.

A safetensors file has the size of its header in 8 bytes, a JSON header with the dtype and position of each tensor, and
the tensors. Integers and the 8-bit floats of quantized models are not checked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_FLOATS = {"F64": np.float64, "F32": np.float32, "F16": np.float16}
# A bfloat16 is not finite if all bits of its exponent are set.
_BF16_EXPONENT = 0x7F80
_CHUNK = 1 << 20


def non_finite_weights(folder: Path) -> list[str]:
    """Returns the names of the weights that contain NaN or infinity."""
    return [name for file in sorted(folder.glob("*.safetensors")) for name in _non_finite(file)]


def _non_finite(file: Path) -> Iterator[str]:
    with file.open("rb") as stored:
        size = int.from_bytes(stored.read(8), "little")
        header = json.loads(stored.read(size))
    data = np.memmap(file, np.uint8, mode="r", offset=8 + size) if file.stat().st_size > 8 + size else np.empty(0)
    for name, entry in header.items():
        if name != "__metadata__" and not _is_finite(data[slice(*entry["data_offsets"])], entry["dtype"]):
            yield name


def _is_finite(data: npt.NDArray[Any], dtype: str) -> bool:
    if dtype == "BF16":
        bits = data.view(np.uint16)
        return all(((bits[i : i + _CHUNK] & _BF16_EXPONENT) != _BF16_EXPONENT).all() for i in _starts(bits))
    if dtype not in _FLOATS:
        return True
    values = data.view(_FLOATS[dtype])
    return all(np.isfinite(values[i : i + _CHUNK]).all() for i in _starts(values))


def _starts(values: npt.NDArray[Any]) -> range:
    return range(0, len(values), _CHUNK)
