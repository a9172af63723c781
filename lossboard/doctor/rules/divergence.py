"""Divergence: the training loss rises far above its best level and stays there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("train_loss", at_least=int(limits["points"]))
    if curve is None:
        return
    best, end = curve.best, curve.end
    progress = max(curve.start - best, 0.0)
    rise = end - best
    spread = _spread(curve)
    # The noise after the rise is larger than before, and must not hide it.
    if rise < limits["lost_progress"] * progress or rise < limits["noise"] * spread:
        return
    if end < curve.start + limits["above_start"] * abs(curve.start) and progress < limits["noise"] * spread:
        return
    first = _onset(curve, best + max(rise / 4, 4 * spread))
    gradients = case.curve("gradient_norm")
    yield observe(
        curve,
        f"The loss fell to {show(best)} at step {curve.step(curve.best_index):,} and has risen to {show(end)}.",
        curve.step(first),
        curve.last_step,
        beside=[gradients],
        best=best,
        end=end,
        start=curve.start,
        lost_progress=min(rise / progress, 1e6) if progress else "all",
    )


def _spread(curve: Curve) -> float:
    """Noise of a block's median in the calmer half of the curve, from one block to the next."""
    steps = np.abs(np.diff(curve.blocks))
    return max(2 * float(np.quantile(steps, 0.25)), 1e-12 * abs(curve.best))


def _onset(curve: Curve, level: float) -> int:
    """Returns the first point of the last stretch in which the blocks stay above a level."""
    below = np.flatnonzero(curve.blocks < level)
    return min((int(below[-1]) + 1) * curve.block_size, len(curve) - 1) if len(below) else 0


RULE = Rule(
    code="divergence",
    title="The training loss diverged",
    severity="error",
    needs=("train_loss",),
    thresholds={
        "points": Threshold(20, "Fewer points do not show a trend."),
        "lost_progress": Threshold(0.4, "Part of what was learned that is lost. Warm restarts lose less."),
        "noise": Threshold(8, "Standard deviations of the noise by which the loss must rise."),
        "above_start": Threshold(0.1, "A loss that never fell must end this much above its start."),
    },
    detects="A training loss that ends far above the lowest level that it reached, and does not come back.",
    quiet=(
        "Noise, spikes that recover, warm restarts of the rate, losses of reinforcement learning and of GANs, and "
        "validation losses, which `overfitting` judges."
    ),
    why="The model has lost what it learned, and seldom finds back. The steps since then are wasted.",
    advice=(
        "Continue from a checkpoint before this step with a lower learning rate. Clip gradients, and warm up the rate "
        "if it diverged early. If the gradient norm grew before the loss did, clipping is the first thing to try."
    ),
    check=check,
)
