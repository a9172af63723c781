"""Measures and alignment over training steps: rotation of layouts, displacement, class separation."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lossboard import _core
from lossboard.kinds.embeddings.sources import Matrix

SEPARATION_ROWS = 2000
"""More rows are sampled: the accuracy is then known to about one percent."""
SEPARATION_NEIGHBORS = 10
_SEPARATION_OPERATIONS = 8_000_000_000


def rotate_onto(layout: Matrix, target: Matrix) -> Matrix:
    """Returns a layout, rotated or mirrored and shifted so that its rows come nearest to a target (Procrustes). It is
    not scaled: its distances keep their meaning."""
    middle, target_middle = layout.mean(0, dtype=np.float64), target.mean(0, dtype=np.float64)
    left, _, right = np.linalg.svd((layout - middle).T @ (target - target_middle))
    rotated: npt.NDArray[np.float64] = (layout - middle) @ (left @ right) + target_middle
    return rotated.astype(np.float32)


def displacements(before: Matrix, after: Matrix) -> npt.NDArray[np.float64]:
    """Returns how far each row moved, in units of the mean radius (root mean square) of the rows after."""
    spread = after - after.mean(0, dtype=np.float64)
    radius = float(np.sqrt((spread**2).sum(1).mean()))
    moved: npt.NDArray[np.float64] = np.linalg.norm(after.astype(np.float64) - before, axis=1)
    return moved / radius if radius > 0 else moved


def separation_rows(columns: int) -> int:
    """Returns how many rows are compared with each other. Very wide ones are fewer, to limit the work."""
    return min(SEPARATION_ROWS, max(math.isqrt(_SEPARATION_OPERATIONS // max(columns, 1)), 100))


def separation(rows: Matrix, codes: npt.NDArray[np.int32], *, seed: int = 0) -> float | None:
    """Returns the accuracy of predicting a row's class from its ten nearest rows in full dimension. Returns None if
    there are too few rows."""
    chosen, most = np.arange(len(rows)), separation_rows(rows.shape[1])
    if len(rows) > most:
        chosen = np.sort(np.random.default_rng(seed).choice(len(rows), most, replace=False))
    if len(chosen) <= SEPARATION_NEIGHBORS:
        return None
    part, classes = np.ascontiguousarray(rows[chosen]), codes[chosen]
    nearest, _ = _core.neighbors(part, SEPARATION_NEIGHBORS, exact=True, seed=seed, progress=_core.Progress())
    votes = np.zeros((len(part), int(classes.max()) + 1), np.int32)
    np.add.at(votes, (np.arange(len(part))[:, None], classes[nearest]), 1)
    return float((votes.argmax(1) == classes).mean())
