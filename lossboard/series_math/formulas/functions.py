"""Functions of formulas. To add one, add it to `FUNCTIONS` and to the table in docs/charts.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lossboard import _core

Values: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Function:
    """`apply` takes arrays of equal length and numbers. It returns an array or a number."""

    name: str
    apply: Callable[..., Any]
    args: int = 1
    weight: bool = False
    """Whether the last argument is a smoothing weight: a number of at least 0 and below 1."""
    over_points: bool = False
    """Whether a value depends on the points before it. The first argument must then be a series."""
    skipped: int = 0
    """Number of first points that have no value."""


def _ema(values: Values, weight: float) -> Values:
    return _core.ema(np.ascontiguousarray(values), weight)


FUNCTIONS: Mapping[str, Function] = {
    function.name: function
    for function in (
        Function("abs", np.abs),
        Function("exp", np.exp),
        Function("log", np.log),
        Function("log2", np.log2),
        Function("log10", np.log10),
        Function("sqrt", np.sqrt),
        Function("min", np.minimum, args=2),
        Function("max", np.maximum, args=2),
        Function("ema", _ema, args=2, weight=True, over_points=True),
        Function("diff", np.diff, over_points=True, skipped=1),
        Function("cumsum", np.cumsum, over_points=True),
        Function("cummin", np.fmin.accumulate, over_points=True),
        Function("cummax", np.fmax.accumulate, over_points=True),
    )
}

OPERATORS: Mapping[str, Function] = {
    "+": Function("+", np.add, args=2),
    "-": Function("-", np.subtract, args=2),
    "*": Function("*", np.multiply, args=2),
    "/": Function("/", np.divide, args=2),
    "**": Function("**", np.power, args=2),
}
NEGATE = Function("-", np.negative)
