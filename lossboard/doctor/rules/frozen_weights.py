"""Weights that do not move: the norms of all layers stay exactly as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    layers = list(case.curves("layer_weights", at_least=int(limits["points"])))
    if not layers or not all(float(np.ptp(layer.values)) == 0 for layer in layers):
        return
    rate = case.curve("learning_rate")
    if rate is not None and float(rate.values.max()) == 0:
        return
    layer = layers[0]
    yield observe(
        layer,
        f"The norms of all {len(layers)} logged weights are the same at every step: nothing is trained."
        if len(layers) > 1
        else f"{layer.tag} is the same at every step: the weight is not trained.",
        layer.step(0),
        layer.last_step,
        beside=[case.curve("train_loss"), rate],
        layers=len(layers),
    )


RULE = Rule(
    code="frozen-weights",
    title="Weights do not move",
    severity="warning",
    needs=("layer_weights",),
    thresholds={"points": Threshold(5, "Norms that are equal so often are not so by chance.")},
    detects="Weight norms of which none changes during the whole run.",
    quiet="Runs in which some layers are frozen and others move.",
    why="The optimizer does not change the model, so training has no effect.",
    advice=(
        "Check that the optimizer was created with the parameters of this model, after it was moved or wrapped, that "
        "optimizer.step() is called, and that requires_grad is set."
    ),
    check=check,
)
