"""Evaluation with the metrics of the user's own functions beside those of the task."""

from __future__ import annotations

from typing import Any

from lossboard.train.hooks import Hooks
from lossboard.train.tasks.task import Evaluation


class OwnMetrics:
    """An evaluation whose metrics include those of the hooks, computed once."""

    def __init__(self, evaluation: Evaluation, hooks: Hooks) -> None:
        self._evaluation = evaluation
        self._own = hooks.measure(evaluation.truths(), evaluation.guesses())

    def metrics(self) -> dict[str, float]:
        return self._evaluation.metrics() | self._own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._evaluation, name)


def with_own_metrics(evaluation: Evaluation, hooks: Hooks) -> Evaluation:
    if not hooks.metrics:
        return evaluation
    # Everything else is looked up in the evaluation, which a protocol cannot express.
    measured: Any = OwnMetrics(evaluation, hooks)
    return measured  # type: ignore[no-any-return]
