"""Dead layers: the gradient of a layer becomes exactly 0 and stays so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    dead = []
    for layer in case.curves("layer_gradients", at_least=int(limits["points"])):
        alive = np.flatnonzero(layer.values != 0)
        if len(alive) and len(layer) - 1 - alive[-1] >= limits["points"]:
            dead.append((int(alive[-1]) + 1, layer))
    if not dead:
        return
    first, layer = min(dead, key=lambda one: (one[1].step(one[0]), one[1].tag))
    others = f" So have {len(dead) - 1} others." if len(dead) > 1 else ""
    yield observe(
        layer,
        f"{layer.tag} is 0 at every step from {layer.step(first):,} on: the layer has died.{others}",
        layer.step(first),
        layer.last_step,
        beside=[case.curve("train_loss")],
        dead_layers=len(dead),
        points_at_zero=len(layer) - first,
    )


RULE = Rule(
    code="dead-layer",
    title="A layer has died",
    severity="warning",
    needs=("layer_gradients",),
    thresholds={"points": Threshold(10, "A gradient may be 0 at a few steps by chance.")},
    detects="A layer that had gradients, and then has none at all until the end.",
    quiet="Layers whose gradient is 0 from the beginning: they are frozen.",
    why="All units of the layer give the same output for every input, so nothing before it can learn either.",
    advice=(
        "Lower the learning rate: a step that was too large has pushed the units of a ReLU below 0. Leaky ReLU or GELU "
        "and normalization before the activation avoid it. Continue from a checkpoint before this step."
    ),
    check=check,
)
