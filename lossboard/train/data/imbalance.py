"""Weights against class imbalance: of the loss of each class, and of the examples that are drawn. For both engines."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids

Weights = npt.NDArray[np.float64]


def balanced_class_weights(labels: Ids, *, classes: int) -> Weights:
    """Returns a weight for each class, inverse to its frequency. Over the examples they average 1.

    A class without examples has the weight 1, which is never used.
    """
    counts = np.bincount(labels, minlength=classes)
    return np.where(counts > 0, len(labels) / (np.count_nonzero(counts) * np.maximum(counts, 1)), 1.0)


def balanced_probabilities(labels: Ids, *, classes: int) -> Weights:
    """Returns the probability of each example with which all classes are drawn equally often."""
    weights = balanced_class_weights(labels, classes=classes)[labels]
    probabilities: Weights = weights / weights.sum()
    return probabilities
