"""Results of one optimizer step, as the engines return them and the logger writes them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StepResult:
    """Metrics of one optimizer step, over all workers."""

    loss: float
    accuracy: float
    lr: float
    grad_norm: float
    examples: int
    tokens: int
    tokens_with_padding: int
    micro_batch: int
    seconds: float
    finite: bool


@dataclass(frozen=True)
class Details:
    """Gradient norms and update-to-weight ratios of one step, per layer."""

    grad_norms: dict[str, float]
    update_ratios: dict[str, float]
