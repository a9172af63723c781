"""Exploding gradients: the gradient norm leaves its usual range and does not return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("gradient_norm", at_least=int(limits["points"]))
    if curve is None:
        return
    blocks = curve.blocks
    earlier = blocks[: max(3, len(blocks) // 4)]
    first = max(float(np.median(earlier)), float(blocks[0]))
    usual = float(np.median(blocks))
    base = max(first, min(usual, first * 3))
    high = np.flatnonzero(blocks > limits["ratio"] * base)
    if not len(high) or base <= 0 or high[0] < 3:
        return
    # It has returned if the last blocks are usual again.
    if float(np.median(blocks[-3:])) < limits["ratio"] * base / 2:
        return
    onset = _onset(curve, base, limits)
    peak = float(curve.values.max())
    yield observe(
        curve,
        f"The gradient norm left its usual range of about {show(base)} at step {curve.step(onset):,} and reached "
        f"{show(peak)}, {peak / base:,.0f} times as much.",
        curve.step(onset),
        curve.last_step,
        beside=[case.curve("train_loss")],
        usual=base,
        peak=peak,
        ratio=peak / base,
        points_above=int((curve.values > limits["ratio"] * base).sum()),
    )


def _onset(curve: Curve, base: float, limits: Limits) -> int:
    """Returns the index after the last stretch of usual norms. A mean of two blocks hides single ones."""
    means = (curve.blocks[1:] + curve.blocks[:-1]) / 2
    usual = np.flatnonzero(means < limits["onset"] * base)
    return min((int(usual[-1]) + 1) * curve.block_size, len(curve) - 1) if len(usual) else 0


RULE = Rule(
    code="exploding-gradients",
    title="The gradients explode",
    severity="error",
    needs=("gradient_norm",),
    thresholds={
        "points": Threshold(20, "The usual norm must be known."),
        "ratio": Threshold(10, "Times the usual norm. Healthy norms seldom vary by more than 3."),
        "onset": Threshold(1.3, "Times the usual norm at which it has left its range."),
    },
    detects="A gradient norm that is more than ten times its usual level over many steps, until the end.",
    quiet="Large gradients of the first steps, single spikes, and single overflows of mixed precision.",
    why="Steps along such gradients throw the weights far away. The loss usually follows within a few hundred steps.",
    advice=(
        "Clip the gradient norm to about its usual level (torch.nn.utils.clip_grad_norm_), lower the learning rate, "
        "and look at the norm of each layer: normalization or a smaller initialization helps where it is largest."
    ),
    check=check,
)
