"""Quantiles of Student's t distribution, without SciPy.

The probability of an interval is a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4), which bisection inverts. With
many degrees of freedom, the expansion 26.7.5 around the normal quantile is exact to ten digits.
"""

from __future__ import annotations

import math
from functools import cache

_Z = 1.959963984540054
_EXPANSION_FROM = 200


def t_quantile_95(freedom: int) -> float:
    """Returns the t for which 95 % of the distribution lie between -t and t."""
    return _expansion(freedom) if freedom >= _EXPANSION_FROM else _bisect(freedom)


@cache
def _bisect(freedom: int) -> float:
    low, high = 0.0, 13.0  # one degree of freedom has 12.7
    while low < (middle := (low + high) / 2) < high:
        if _probability_within(middle, freedom) < 0.95:
            low = middle
        else:
            high = middle
    return high


def _probability_within(t: float, freedom: int) -> float:
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    if freedom == 1:
        return 2 * angle / math.pi
    term = total = cosine if odd else 1.0
    for k in range(2 + odd, freedom - 1, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


def _expansion(freedom: int) -> float:
    z, n = _Z, freedom
    return (
        z
        + (z**3 + z) / (4 * n)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * n**3)
        + (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / (92160 * n**4)
    )
