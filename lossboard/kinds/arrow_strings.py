"""Arrow string columns, without pyarrow."""

from __future__ import annotations

from typing import Any

import nanoarrow as na
import numpy as np


def repeat_strings(strings: list[str], counts: list[int]) -> Any:
    """Returns a string column with each string repeated by its count."""
    encoded = [string.encode("utf-8", "replace") for string in strings]
    sizes = np.repeat([len(string) for string in encoded], counts)
    offsets = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=offsets[1:])
    data = b"".join(string * count for string, count in zip(encoded, counts, strict=True))
    return na.c_array_from_buffers(na.string(), len(sizes), [None, offsets, data])
