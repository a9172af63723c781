"""Targets: the numbers that a loss compares the outputs of a model with. The same for both engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids
from lossboard.train.data.imbalance import Weights

Array = npt.NDArray[Any]


class Targets(Protocol):
    """The targets of a set of examples."""

    def batch(self, rows: Ids, *, width: int) -> Array:
        """Returns the targets of some examples, whose tokens are padded to `width`."""

    def count(self, rows: Ids) -> int:
        """Returns the number of targets of some examples. The loss of a step is a mean over this number."""

    def weight(self, rows: Ids, class_weights: Weights) -> float:
        """Returns the sum of the class weights of these targets."""


@dataclass(frozen=True)
class ExampleTargets:
    """The same number of targets for each example: a class id, a number, or one number for each class."""

    values: Array

    def batch(self, rows: Ids, *, width: int) -> Array:
        return self.values[rows]

    def count(self, rows: Ids) -> int:
        return len(rows) * int(np.prod(self.values.shape[1:], dtype=np.int64))

    def weight(self, rows: Ids, class_weights: Weights) -> float:
        return float(class_weights[self.values[rows]].sum())
