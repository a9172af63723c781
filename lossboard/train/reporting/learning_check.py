"""Judges the learning rate while a run trains, from its losses and gradients.

Two things show early. A rate far too high makes the loss exceed that of guessing many times over. A rate far too low
leaves the loss where it began, although there are gradients to follow.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

from lossboard.train.reporting.step_result import StepResult

Verdict = Literal["too-high", "too-low", "unclear"]

# A loss is averaged over at least this many examples and steps, because single examples may have a high loss.
WINDOW_EXAMPLES = 64
WINDOW_STEPS = 3
# Steps before a loss that does not change means something.
ENOUGH_STEPS = 20
# An AdamW step moves a weight by about the learning rate. Weights that move less than this over the whole run, relative
# to their usual size of 0.04, change the loss by less than its noise.
MIN_TRAVEL = 5e-4
# A loss within this fraction of the first one has not changed.
UNCHANGED = 0.05
# A gradient norm below this leaves nothing to follow, whatever the rate.
VANISHED = 1e-5


@dataclass(frozen=True)
class Judgment:
    """What the losses and gradients say about the learning rate."""

    verdict: Verdict
    loss: float
    first_loss: float
    grad_norm: float


class LearningCheck:
    """Losses and gradients of a run so far. `travel` is the sum of the learning rates over the whole run."""

    def __init__(self, *, chance_loss: float, batch_size: int, travel: float) -> None:
        self.chance_loss, self.travel = chance_loss, travel
        steps = max(WINDOW_STEPS, -(-WINDOW_EXAMPLES // batch_size))
        self._first: list[StepResult] = []
        self._recent: deque[StepResult] = deque(maxlen=steps)
        self._seen = 0

    def observe(self, result: StepResult) -> Judgment | None:
        """Adds a step. Returns a judgment if the learning rate is clearly wrong."""
        if not result.is_finite:
            return None
        self._seen += 1
        self._recent.append(result)
        if len(self._first) < (self._recent.maxlen or 0):
            self._first.append(result)
        if len(self._recent) < (self._recent.maxlen or 0):
            return None
        judgment = self.judge()
        return judgment if judgment.verdict != "unclear" else None

    def judge(self) -> Judgment:
        """Returns what the steps so far say."""
        loss, grad_norm = _mean_loss(self._recent), _mean_norm(self._recent)
        first_loss = _mean_loss(self._first)
        verdict: Verdict = "unclear"
        # The first step precedes any update. A head trained for other labels may start with a high loss.
        if loss > 2 * self.chance_loss + 1 and loss > 1.5 * self._first[0].loss:
            verdict = "too-high"
        elif (
            self._seen >= ENOUGH_STEPS
            and self.travel < MIN_TRAVEL
            and abs(loss - first_loss) < UNCHANGED * first_loss
            and grad_norm > VANISHED
        ):
            verdict = "too-low"
        return Judgment(verdict, loss, first_loss, grad_norm)


def _mean_loss(results: deque[StepResult] | list[StepResult]) -> float:
    examples = sum(result.examples for result in results)
    return sum(result.loss * result.examples for result in results) / examples if examples else 0.0


def _mean_norm(results: deque[StepResult]) -> float:
    return sum(result.grad_norm for result in results) / len(results) if results else 0.0
