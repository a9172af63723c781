"""Norms and histograms of a torch model's parameters and gradients, logged every N backward passes.

A hook on each parameter runs when its gradient is complete, before the optimizer changes the parameter. On most passes
it only counts, which costs a few microseconds per pass.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lossboard.writer.series import SeriesMethods


class ModelWatch:
    """Logs `parameters/<name>` and `gradients/<name>`, and their norms below `…_norm/`, until `remove` is called."""

    def __init__(
        self,
        writer: SeriesMethods,
        model: Any,
        *,
        every: int,
        histograms: bool,
        step: Callable[[], int] | None,
    ) -> None:
        if not hasattr(model, "named_parameters"):
            raise TypeError(f"watch needs a torch module, got {type(model).__name__}")
        if not isinstance(every, int) or every < 1:
            raise ValueError(f"every must be a positive integer, got {every!r}")
        if step is not None and not callable(step):
            raise TypeError(f"step must be a function that returns the current step, got {step!r:.60}")
        self._writer = writer
        self._every = every
        self._histograms = histograms
        self._step = step
        self._handles = []
        self._passes: dict[str, int] = {}
        for name, parameter in model.named_parameters():
            if parameter.requires_grad:
                self._passes[name] = 0
                self._handles.append(parameter.register_post_accumulate_grad_hook(partial(self._on_gradient, name)))

    def remove(self) -> None:
        """Stops logging and removes the hooks from the model."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def _on_gradient(self, name: str, parameter: Any) -> None:
        count = self._passes[name]
        self._passes[name] += 1
        if count % self._every:
            return
        step = self._step() if self._step is not None else count
        gradient = parameter.grad.detach()
        value = parameter.detach()
        norms = {
            f"gradients_norm/{name}": gradient.float().norm(),
            f"parameters_norm/{name}": value.float().norm(),
        }
        self._writer.add_scalars_dict(norms, step)
        if self._histograms:
            self._writer.add_histogram(f"gradients/{name}", gradient, step)
            self._writer.add_histogram(f"parameters/{name}", value, step)
