"""Numbers as JSON holds them: exact, and the three that it lacks as words."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

JsonNumber: TypeAlias = float | Literal["NaN", "Infinity", "-Infinity"]


def number(value: float) -> JsonNumber:
    """A float that reads back exactly; "NaN", "Infinity", "-Infinity" for what JSON has no number for."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def number_texts(values: npt.NDArray[np.float64]) -> list[str]:
    """A column as JSON text, number by number."""
    texts = list(map(repr, values.tolist()))
    finite = np.isfinite(values)
    if not finite.all():
        for index in np.flatnonzero(~finite).tolist():
            texts[index] = f'"{number(float(values[index]))}"'
    return texts


def numbers(values: npt.NDArray[np.floating[Any]]) -> list[Any]:
    """An array as nested lists of such numbers."""
    if np.isfinite(values).all():
        return list(values.tolist())
    if values.ndim == 1:
        return [number(value) for value in values.tolist()]
    return [numbers(row) for row in values]
