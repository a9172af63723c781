"""Results of one optimizer step, as the engines return them and the logger writes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True)
class StepResult:
    """Metrics of one optimizer step, over all workers."""

    loss: float
    accuracy: float  # NaN if the task has none
    lr: float
    grad_norm: float
    examples: int
    tokens: int
    tokens_with_padding: int
    micro_batch: int
    seconds: float

    @classmethod
    def of_batch(
        cls,
        sums: Sequence[float],
        *,
        examples: int,
        targets: int,
        weight: float,
        lr: float,
        grad_norm: float,
        micro_batch: int,
        seconds: float,
    ) -> Self:
        """Computes the metrics from sums over a batch: loss, correct predictions, tokens, tokens with padding.

        `weight` is the sum of the weights of the targets in the loss.
        """
        loss, correct, tokens, tokens_with_padding = sums
        return cls(
            loss / weight,
            correct / targets,
            lr,
            grad_norm,
            examples,
            int(tokens),
            int(tokens_with_padding),
            micro_batch,
            seconds,
        )

    @property
    def is_finite(self) -> bool:
        return math.isfinite(self.loss) and math.isfinite(self.grad_norm)


@dataclass(frozen=True)
class Details:
    """Gradient norms and update-to-weight ratios of one step, per layer."""

    grad_norms: dict[str, float]
    update_ratios: dict[str, float]
