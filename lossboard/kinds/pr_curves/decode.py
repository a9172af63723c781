"""Precision-recall curves: a tensor [6, thresholds], the rows TP, FP, TN, FN, precision, recall.

TensorBoard truncates the counts to integers and drops the tail without positives. Here the rows are complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.events.summary import Value
from lossboard.events.tensors import Tensor
from lossboard.kinds.series import Point, Series, series_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import Run

ROWS = ("true_positives", "false_positives", "true_negatives", "false_negatives", "precision", "recall")


@dataclass(frozen=True, slots=True)
class PrCurveStep(Point):
    """One curve. `rows` is [6, thresholds], in the order of ROWS."""

    rows: npt.NDArray[np.float64]

    @property
    def thresholds(self) -> npt.NDArray[np.float64]:
        return np.linspace(0.0, 1.0, self.rows.shape[1])

    @classmethod
    def parse(cls, data: bytes, step: int = 0, wall_time: float = 0.0, hidden: bool = False) -> PrCurveStep:
        rows = Tensor.of(Value.parse(data)).cast(np.float64)
        if rows.ndim != 2 or len(rows) != len(ROWS):
            raise DecodeError(f"Expected a precision-recall curve of shape [6, thresholds], got {list(rows.shape)}")
        return cls(step, wall_time, hidden, rows)


def pr_curves(run: Run, tag: str, *, attempts: bool = False, max_bytes: int = NO_LIMIT) -> Series[PrCurveStep]:
    return series_of(run, "pr_curves", tag, PrCurveStep.parse, attempts=attempts, max_bytes=max_bytes)
