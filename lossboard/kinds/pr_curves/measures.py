"""Measures of one precision-recall curve. Each is None if the logged rows do not determine it.

Writers of raw curves may log any numbers: rows that are not a curve, counts that are all zero, NaN.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def drawn_length(rows: Floats) -> int:
    """Returns the number of thresholds before the tail without predicted positives, whose precision means nothing.

    TensorBoard ends its curves there too, but first truncates counts to integers, which empties curves with small
    weights. A curve without counts is drawn up to the last threshold with a recall.
    """
    predicted = rows[0] + rows[1]
    (known,) = np.nonzero(predicted if np.any(predicted) else rows[5])
    return int(known[-1]) + 1 if len(known) else min(1, rows.shape[1])


def class_sizes(rows: Floats) -> tuple[float, float] | None:
    """Returns the (weighted) numbers of positive and other examples, which are equal at all thresholds."""
    counts = rows[:4]
    if counts.shape[1] == 0 or not np.isfinite(counts).all() or (counts < 0).any():
        return None
    positives, others = counts[0] + counts[3], counts[1] + counts[2]
    if not (_is_constant(positives) and _is_constant(others)):
        return None
    return float(positives[0]), float(others[0])


def average_precision(rows: Floats) -> float | None:
    """Returns the area below the curve: each gain in recall times the precision at which it is reached."""
    length = drawn_length(rows)
    precision, recall = rows[4, :length], rows[5, :length]
    if length < 2 or not (np.isfinite(precision).all() and np.isfinite(recall).all()):
        return None
    gains = recall - np.append(recall[1:], 0.0)
    # Recall can only fall when the threshold rises.
    return float(np.sum(gains * precision)) if (gains >= -1e-6).all() else None


def roc_area(rows: Floats) -> float | None:
    """Returns the area below the ROC curve, by trapezoids."""
    sizes = class_sizes(rows)
    if sizes is None or 0 in sizes:
        return None
    hits, alarms = np.append(rows[0], 0.0) / sizes[0], np.append(rows[1], 0.0) / sizes[1]
    steps = alarms[:-1] - alarms[1:]
    if (steps < -1e-6).any():
        return None
    return float(np.sum(steps * (hits[:-1] + hits[1:]) / 2))


def at_threshold(rows: Floats, threshold: float) -> int:
    """Returns the index of the threshold that is nearest."""
    last = max(0, rows.shape[1] - 1)
    return int(threshold * last + 0.5)


def f1_score(precision: float, recall: float) -> float:
    """Returns the harmonic mean. It is 0 if both are, and NaN if one of them is."""
    total = precision + recall
    return 0.0 if total == 0 else 2 * precision * recall / total


def _is_constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= 1e-4 * max(1.0, float(np.max(values))))
