"""Points of a formula in one run.

A function of a series is computed on all points of that series. Operators and functions of two series are computed at
common steps, see `common_steps.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from lossboard.series_math.common_steps import at_common_steps
from lossboard.series_math.formulas.tree import Call, Node, Number, Tag
from lossboard.series_math.points import Points

PointsOf: TypeAlias = Callable[[str], Points]


def evaluate(node: Node, points_of: PointsOf) -> Points:
    """Returns the points of a formula. `points_of` returns those of a tag."""
    with np.errstate(all="ignore"):  # a result that is not a number is shown like a logged one
        found = _evaluate(node, points_of)
    if isinstance(found, float):  # the parser has refused a formula without tags
        raise TypeError("A formula is a series.")
    return found


def _evaluate(node: Node, points_of: PointsOf) -> Points | float:
    match node:
        case Number(value=value):
            return value
        case Tag(name=name):
            return points_of(name)
        case Call():
            return _call(node, [_evaluate(arg, points_of) for arg in node.args])


def _call(node: Call, args: list[Points | float]) -> Points | float:
    apply = node.function.apply
    match args:
        case [Points() as a, Points() as b]:
            points, left, right = at_common_steps(a, b)
            return replace(points, values=apply(left, right))
        case [Points() as a, *numbers]:
            own = a.part(slice(node.function.skipped, None))
            return replace(own, values=apply(a.values, *numbers))
        case [float() as number, Points() as b]:
            return replace(b, values=apply(number, b.values))
    return float(apply(*(np.float64(arg) for arg in args if isinstance(arg, float))))
