"""Labels of tasks with several classes per example: a matrix with 1 where an example has a class, and 0 elsewhere."""

from __future__ import annotations

import numpy as np

from lossboard.train.data.batches import Ids
from lossboard.train.data.split import Labels

# Fills the row of an example without valid labels.
INVALID = -1


def invalid_rows(labels: Labels) -> Ids:
    return np.flatnonzero((labels == INVALID).any(axis=1))


def class_counts(labels: Labels) -> Ids:
    """Returns the number of examples that have each class."""
    counts: Ids = np.count_nonzero(labels == 1, axis=0)
    return counts


def rarest_class(labels: Labels) -> Ids:
    """Returns the rarest class of each example, so that a held-out set has examples of all classes."""
    has = labels == 1
    sizes = np.where(has, class_counts(labels), len(labels) + 1)
    rarest: Ids = np.where(has.any(axis=1), sizes.argmin(axis=1), labels.shape[1])
    return rarest
