"""Numbers in JSON: exact, with strings for non-finite ones."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

JsonNumber: TypeAlias = float | Literal["NaN", "Infinity", "-Infinity"]


def number(value: float) -> JsonNumber:
    """Returns the number, or "NaN", "Infinity" or "-Infinity", which JSON cannot represent."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def number_texts(values: npt.NDArray[np.float64]) -> list[str]:
    """Returns the JSON text of each number."""
    texts = list(map(repr, values.tolist()))
    finite = np.isfinite(values)
    if not finite.all():
        for index in np.flatnonzero(~finite).tolist():
            texts[index] = f'"{number(float(values[index]))}"'
    return texts


def numbers(values: npt.NDArray[np.floating[Any]]) -> list[Any]:
    """Returns an array as nested lists."""
    if np.isfinite(values).all():
        return list(values.tolist())
    if values.ndim == 1:
        return [number(value) for value in values.tolist()]
    return [numbers(row) for row in values]
