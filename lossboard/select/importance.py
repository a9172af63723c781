"""Importance of hyperparameters for a metric: PED-ANOVA, and the signed rank correlation.

PED-ANOVA (Watanabe et al., IJCAI 2023) compares the distribution of a hyperparameter among the best tenth of the runs
with its distribution among all runs, by their Pearson divergence. Both are kernel density estimates on a grid, with the
settings of Optuna: https://optuna.readthedocs.io/en/stable/reference/importance.html

With few runs, a column of random numbers diverges too. How far is measured by drawing random runs as the best ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lossboard.kinds.cancellation import check_cancelled
from lossboard.select.facts.columns import Column, Mask
from lossboard.select.facts.direction import Direction

MIN_RUNS = 30
"""With fewer runs, the best tenth are too few to say anything."""
_BEST = 0.1
_GRID = 50
_LOG_FROM = 100
"""Positive numbers whose largest is at least this multiple of the smallest are compared on a log scale."""
_MAX_CATEGORIES = 30
_MAX_NUMBERS = 10
"""Up to this many different numbers are categories: a density over two values says more about its kernels than about
the values."""
_DRAWS = 100
_NOISE_QUANTILE = 0.95
_MIN_SIGMA = 0.5 / 1.64
"""90 % of a kernel stay within a cell of the grid."""

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Importance:
    """Importance of one hyperparameter."""

    name: str
    share: float
    """Its part of the divergence of all hyperparameters."""
    noise: float
    """The share that 95 of 100 columns of random values stay below."""
    correlation: float | None
    """Spearman's rank correlation with the metric; None for texts."""
    is_log: bool
    runs: int

    @property
    def is_noise(self) -> bool:
        return self.share <= self.noise


def importances(columns: Mapping[str, Column], metric: Floats, has_metric: Mask, best: Direction) -> list[Importance]:
    """Returns the importance of each hyperparameter that differs, the largest first. Those that fewer than 30 runs have
    are left out. A metric that is not finite counts as worse than all others."""
    loss = np.where(np.isfinite(metric), metric if best == "min" else -metric, np.inf)
    known = {name: grid for name, column in columns.items() if (grid := _grid_column(column, has_metric))}
    divergences = {name: _divergences(grid, loss[grid.rows]) for name, grid in known.items()}
    total = sum(observed for observed, _ in divergences.values()) or 1.0
    found = [
        Importance(
            name,
            observed / total,
            noise / total,
            _correlation(columns[name], loss if best == "min" else -loss, known[name].rows),
            known[name].is_log,
            len(known[name].rows),
        )
        for name, (observed, noise) in divergences.items()
    ]
    return sorted(found, key=lambda one: -one.share)


@dataclass(frozen=True)
class _GridColumn:
    """A column as cells of a grid, or as categories, for the rows that have a value."""

    rows: NDArray[np.int64]
    cells: NDArray[np.int64]
    size: int
    is_categorical: bool
    is_log: bool


def _grid_column(column: Column, has_metric: Mask) -> _GridColumn | None:
    """Returns None if the column cannot be compared: too few runs, one value, or names that differ in every run."""
    is_number = column.type == "number"
    known = column.has_value & has_metric
    if is_number:
        known &= np.isfinite(column.numbers)
    rows = np.flatnonzero(known)
    if len(rows) < MIN_RUNS:
        return None
    codes = np.unique(column.labels.codes[rows], return_inverse=True)[1]
    size = int(codes.max()) + 1
    if not is_number or size <= _MAX_NUMBERS:
        is_usable = 1 < size <= min(_MAX_CATEGORIES, len(rows) // 2)
        return _GridColumn(rows, codes, size, is_categorical=True, is_log=False) if is_usable else None
    values = column.numbers[rows]
    low, high = float(values.min()), float(values.max())
    is_log = low > 0 and high / low >= _LOG_FROM
    if is_log:
        values = np.log(values)
        low, high = math.log(low), math.log(high)
    cells = np.rint((values - low) / (high - low) * (_GRID - 1)).astype(np.int64)
    return _GridColumn(rows, cells, _GRID, is_categorical=False, is_log=is_log)


def _divergences(column: _GridColumn, loss: Floats) -> tuple[float, float]:
    """Returns the divergence of the best runs from all runs, and that of nearly all random selections of runs."""
    check_cancelled()
    is_best = loss <= np.sort(loss)[max(1, math.ceil(_BEST * len(loss)) - 1)]
    all_counts = np.bincount(column.cells, minlength=column.size)
    best_counts = np.bincount(column.cells[is_best], minlength=column.size)
    random = np.random.default_rng(0).multivariate_hypergeometric(all_counts, int(is_best.sum()), _DRAWS)
    density = _category_density if column.is_categorical else _kernel_density
    of_all = density(all_counts[None])
    of_best = density(np.concatenate((best_counts[None], random)))
    divergences = ((of_best / of_all - 1) ** 2 * of_all).sum(axis=1)
    return float(divergences[0]), float(np.quantile(divergences[1:], _NOISE_QUANTILE))


def _category_density(counts: Counts) -> Floats:
    """Returns the share of each category, smoothed by one run of every category. A row for each row of counts."""
    size = counts.shape[1]
    prior = 1 / ((counts > 0).sum(axis=1, keepdims=True) + 1)
    smooth = (counts + prior * counts.sum(axis=1, keepdims=True)) / (1 + prior * size) + 1 / size
    density: Floats = smooth / (counts.sum(axis=1, keepdims=True) + 1) + 1e-12
    return density


def _kernel_density(counts: Counts) -> Floats:
    """Returns a density over the grid: a normal kernel around each run, and a wide one as prior. Kernels are cut off
    at the ends of the grid. A row for each row of counts."""
    size = counts.shape[1]
    cells = np.arange(size)
    sigmas = np.maximum(_scott_sigmas(counts), _MIN_SIGMA)
    # Of a kernel, the cumulative distribution at the borders of cells, by their distance from its center.
    borders = np.arange(-size + 1, size + 1) - 0.5
    cumulative = _normal_cdf(borders[None] / sigmas[:, None])
    upper, lower = cells[:, None] - cells[None] + size, cells[:, None] - cells[None] + size - 1
    kernels = cumulative[:, upper] - cumulative[:, lower]
    kernels /= cumulative[:, 2 * size - 1 - cells][:, None] - cumulative[:, size - 1 - cells][:, None]
    middle = (size - 1) / 2
    prior = np.diff(_normal_cdf((np.arange(size + 1) - 0.5 - middle) / size))
    runs = counts.sum(axis=1, keepdims=True)
    density: Floats = (np.einsum("sxm,sm->sx", kernels, counts) + prior / prior.sum()) / (runs + 1) + 1e-12
    return density


def _scott_sigmas(counts: Counts) -> Floats:
    """Returns Scott's bandwidth for each row of counts, from the smaller of standard deviation and quartile range."""
    runs = counts.sum(axis=1)
    cells = np.arange(counts.shape[1])
    means = counts @ cells / runs
    variances = ((cells - means[:, None]) ** 2 * counts).sum(axis=1) / np.maximum(1, runs - 1)
    totals = np.cumsum(counts, axis=1)
    low = (totals < (runs // 4)[:, None]).sum(axis=1)
    high = np.minimum((totals <= (runs * 3 // 4)[:, None]).sum(axis=1), counts.shape[1] - 1)
    sigmas: Floats = 1.059 * np.minimum((high - low) / 1.34, np.sqrt(variances)) * runs**-0.2
    return sigmas


def _normal_cdf(values: Floats) -> Floats:
    flat = [0.5 * math.erfc(-value / math.sqrt(2)) for value in values.ravel().tolist()]
    return np.array(flat).reshape(values.shape)


def _correlation(column: Column, metric: Floats, rows: NDArray[np.int64]) -> float | None:
    if column.type not in ("number", "boolean"):
        return None
    a, b = _ranks(column.numbers[rows]), _ranks(metric[rows])
    a, b = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale else None


def _ranks(values: Floats) -> Floats:
    """Returns ranks; equal values have the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: Floats = (ends - (counts - 1) / 2)[inverse]
    return ranks
