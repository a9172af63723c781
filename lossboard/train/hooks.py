"""Hooks: what a Python program adds to a run: own metrics, callbacks, an own head or model, a board to show.

They exist in this process only: they are not part of the config, and a resumed run needs them again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lossboard.errors import UsageError
from lossboard.findings import Finding

# Takes the true and the predicted values, in this order, as the metrics of scikit-learn do. Higher is better.
MetricFunction = Callable[[Any, Any], float]
# Takes a step and what was logged at it.
StepFunction = Callable[[int, dict[str, float]], object]


class ShownBoard(Protocol):
    """A board that runs, such as the result of `lossboard.launch`."""

    @property
    def url(self) -> str: ...


@dataclass(frozen=True)
class Hooks:
    """`metrics` are functions by name. The callbacks `on_…` are called after a step, an evaluation or a finding.

    `head` replaces the last layer of the model, and `model` the whole model: torch modules, or Keras layers and models.
    They are trained in place. `board` is shown beside the progress in a notebook.
    """

    metrics: Mapping[str, MetricFunction] = field(default_factory=dict)
    on_step: StepFunction | None = None
    on_evaluation: StepFunction | None = None
    on_finding: Callable[[Finding], object] | None = None
    head: Any = None
    model: Any = None
    board: ShownBoard | None = None

    @property
    def own_part(self) -> str:
        """`head`, `model`, or nothing."""
        return "model" if self.model is not None else "head" if self.head is not None else ""

    def check(self, *, workers: int) -> None:
        callbacks = self.on_step or self.on_evaluation or self.on_finding
        if workers > 1 and (self.metrics or callbacks or self.own_part):
            raise UsageError(
                "Own metrics, callbacks, heads and models exist in one process only. Remove them, or set workers to 1."
            )
        if self.head is not None and self.model is not None:
            raise UsageError("The hooks have both a head and a model. An own model has its own head, so pass only one.")

    def measure(self, truths: Any, predictions: Any) -> dict[str, float]:
        """Returns the values of the own metrics."""
        return {name: float(metric(truths, predictions)) for name, metric in self.metrics.items()}


NO_HOOKS = Hooks()
