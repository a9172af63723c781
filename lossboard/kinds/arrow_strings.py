"""Arrow string columns, without pyarrow."""

from __future__ import annotations

from typing import Any

import nanoarrow as na
import numpy as np
import numpy.typing as npt


def string_column(strings: list[str | None]) -> Any:
    """Returns a string column. None is null."""
    has_value = np.array([string is not None for string in strings], bool)
    return repeat_strings([string or "" for string in strings], [1] * len(strings), has_value=has_value)


def repeat_strings(strings: list[str], counts: list[int], *, has_value: npt.NDArray[np.bool_] | None = None) -> Any:
    """Returns a string column with each string repeated by its count. Rows without a value are null."""
    encoded = [string.encode("utf-8", "replace") for string in strings]
    sizes = np.repeat([len(string) for string in encoded], counts)
    offsets = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=offsets[1:])
    data = b"".join(string * count for string, count in zip(encoded, counts, strict=True))
    validity = None if has_value is None else np.packbits(has_value, bitorder="little")
    return na.c_array_from_buffers(na.string(), len(sizes), [validity, offsets, data])
