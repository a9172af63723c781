"""Vanishing gradients: the first layers get a tiny part of the gradient of the last ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    layers = list(case.curves("layer_gradients", at_least=int(limits["points"])))
    moving = [layer for layer in layers if layer.median > 0]
    if len(moving) < limits["layers"]:
        return
    smallest, largest = min(moving, key=lambda one: one.median), max(moving, key=lambda one: one.median)
    ratio = smallest.median / largest.median
    loss = case.curve("train_loss")
    if ratio > limits["ratio"] or (loss is not None and loss.end < 0.5 * loss.start):
        return
    yield observe(
        smallest,
        f"The gradient of {smallest.tag} is {show(smallest.median)}, {1 / ratio:,.0f} times smaller than that of "
        f"{largest.tag}.",
        smallest.step(0),
        smallest.last_step,
        beside=[largest, loss],
        smallest=smallest.median,
        largest=largest.median,
        ratio=ratio,
    )


RULE = Rule(
    code="vanishing-gradients",
    title="Gradients vanish on the way to the first layers",
    severity="warning",
    needs=("layer_gradients",),
    thresholds={
        "points": Threshold(10, "The usual norm of a layer must be known."),
        "layers": Threshold(3, "A ratio of two layers says little."),
        "ratio": Threshold(1e-4, "Gradient norm of one layer in parts of that of another."),
    },
    detects="Norms per layer that differ by a factor of ten thousand, while the loss has not fallen by half.",
    quiet="Frozen layers, whose gradient is missing or 0, and models that learn in spite of small gradients.",
    why="Layers with such gradients stay as they were initialized, so the model is not deeper than the rest.",
    advice=(
        "Use ReLU or GELU in place of sigmoid and tanh, residual connections and normalization between layers, and an "
        "initialization that fits the activation (torch.nn.init.kaiming_normal_)."
    ),
    check=check,
)
