"""Jump at a restart: the loss is much higher when a run goes on from a checkpoint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.curve import bounded, median
from lossboard.doctor.restarts import find_restarts
from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("train_loss", at_least=int(limits["points"]))
    if curve is None:
        return
    for restart in find_restarts(case, case.roles["train_loss"][0]):
        before, after = bounded(restart.before), bounded(restart.after)
        if len(before) < limits["points"] or len(after) < 3:
            continue
        level = median(before)
        jump = max(median(after[k : k + 3]) for k in range(max(1, min(len(after) - 2, 12)))) - level
        noise = max(1.4826 * median(np.abs(before - level)), 1e-12 * abs(level), 1e-70)
        learned = max(curve.start - level, 0.0)
        if jump < limits["noise"] * noise or jump < limits["lost"] * max(learned, abs(level)):
            continue
        yield observe(
            curve,
            f"Training went on at step {restart.step:,} with a loss of {show(level + jump)}; before, it was "
            f"{show(level)}.",
            restart.step,
            curve.last_step if curve.end > level + jump / 2 else restart.step,
            beside=[case.curve("learning_rate"), case.curve("gradient_norm")],
            before=level,
            after=level + jump,
            times_noise=jump / noise,
        )


RULE = Rule(
    code="restart-jump",
    title="The loss jumped at a restart",
    severity="warning",
    needs=("train_loss",),
    thresholds={
        "points": Threshold(8, "Points before the restart."),
        "noise": Threshold(4, "Standard deviations of the loss before it. Three points in a row must be above."),
        "lost": Threshold(0.2, "Jump in parts of what had been learned, and of the level before."),
    },
    detects="A training loss that is clearly higher right after a restart than right before it.",
    quiet="Restarts that go on where they stopped.",
    why=(
        "A part of the state was not restored. Without the optimizer's moments, the first steps are far too large and "
        "undo a part of the training."
    ),
    advice=(
        "Save and load the optimizer, the schedule, the gradient scaler, the data order and the random state together "
        "with the weights. If the optimizer's state is lost, warm the rate up again."
    ),
    check=check,
)
