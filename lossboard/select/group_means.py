"""Means of a fact over groups of runs. Values that are not finite do not count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lossboard.series_math.student_t import t_quantile_95


class GroupMeans(NamedTuple):
    """A mean and a standard deviation (n - 1) for each group. They are NaN without a value, or without two."""

    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    n: NDArray[np.int64]

    def half_widths(self) -> NDArray[np.float64]:
        """Returns half the widths of the 95 % t intervals."""
        quantiles = [t_quantile_95(n - 1) if n > 1 else np.nan for n in self.n.tolist()]
        return np.array(quantiles) * self.std / np.sqrt(np.maximum(self.n, 1))


def group_means(numbers: NDArray[np.float64], groups: Sequence[NDArray[np.int64]]) -> GroupMeans:
    means = GroupMeans(np.full(len(groups), np.nan), np.full(len(groups), np.nan), np.zeros(len(groups), np.int64))
    for number, rows in enumerate(groups):
        own = numbers[rows]
        finite = own[np.isfinite(own)]
        means.n[number] = len(finite)
        if len(finite):
            means.mean[number] = finite[0] + (finite - finite[0]).mean()
        if len(finite) > 1:
            means.std[number] = finite.std(ddof=1)
    return means
