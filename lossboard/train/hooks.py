"""Hooks: functions of a Python program that a run calls while it trains, and its own metrics.

They exist in this process only: they are not part of the config, and a resumed run needs them again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lossboard.errors import UsageError
from lossboard.findings import Finding

# Takes the true and the predicted values, in this order, as the metrics of scikit-learn do. Higher is better.
MetricFunction = Callable[[Any, Any], float]
# Takes a step and what was logged at it.
StepFunction = Callable[[int, dict[str, float]], object]


@dataclass(frozen=True)
class Hooks:
    """`metrics` are functions by name. The others are called after a step, an evaluation or a finding."""

    metrics: Mapping[str, MetricFunction] = field(default_factory=dict)
    on_step: StepFunction | None = None
    on_evaluation: StepFunction | None = None
    on_finding: Callable[[Finding], object] | None = None

    def __bool__(self) -> bool:
        return bool(self.metrics or self.on_step or self.on_evaluation or self.on_finding)

    def check(self, *, workers: int) -> None:
        if self and workers > 1:
            raise UsageError("Own metrics and callbacks exist in one process only. Remove them, or set workers to 1.")

    def measure(self, truths: Any, predictions: Any) -> dict[str, float]:
        """Returns the values of the own metrics."""
        return {name: float(metric(truths, predictions)) for name, metric in self.metrics.items()}


NO_HOOKS = Hooks()
