"""Learning rate too high: early on the loss rises above its start, or stays high with large swings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.curve import early_burst, median
from lossboard.doctor.roles import Ref
from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("train_loss", at_least=int(limits["points"]))
    if curve is None:
        yield from _overflowed(case, limits)
        return
    if curve.step(0) > curve.last_step // 2:
        return
    start = float(curve.values[0])
    early = curve.values[1 : max(4, len(curve) // 5)]
    peak, above = float(early.max()) - start, float(np.median(early)) - start
    end = curve.end - start
    gradients = case.curve("gradient_norm", at_least=10)
    burst = early_burst(gradients, len(gradients) // 5) if gradients else 0.0
    scale = abs(start)
    towers = peak > max(limits["peak"] * scale, limits["noise"] * curve.noise) and end > -limits["learned"] * scale
    bursts = burst > limits["burst"] and peak > limits["rise"] * scale and end > -0.1 * scale
    stays = min(above, end) > max(limits["rise"] * scale, 3 * _spread(curve))
    if not (towers or bursts or stays):
        return
    rate = case.curve("learning_rate")
    yield observe(
        curve,
        f"The loss rose from {show(start)} to {show(float(early.max()))} in the first fifth of the run and is "
        f"{show(curve.end)} at the end." + (f" The rate was {show(float(rate.values.max()))}." if rate else ""),
        curve.step(0),
        curve.last_step,
        beside=[gradients, rate],
        start=start,
        early_peak=start + peak,
        end=curve.end,
        also={"gradient_burst": burst} if gradients else {},
    )


def _overflowed(case: Case, limits: Limits) -> Iterator[Observation]:
    """Reports a loss that has grown to infinity within the first points."""
    curve = case.curve("train_loss", at_least=2)
    if curve is None or case.scalars[Ref(curve.run, curve.tag)].count < limits["points"]:
        return
    start, peak = float(curve.values[0]), float(curve.values.max())
    if peak - start > limits["peak"] * abs(start) and peak == curve.values[-3:].max():
        yield observe(
            curve,
            f"The loss rose from {show(start)} to {show(peak)} within {len(curve)} points and then was not finite.",
            curve.step(0),
            curve.last_step,
            beside=[case.curve("gradient_norm"), case.curve("learning_rate")],
            start=start,
            early_peak=peak,
        )


def _spread(curve: Curve) -> float:
    """Standard deviation of the second half of the points, without outliers."""
    later = curve.values[len(curve) // 2 :]
    return 1.4826 * median(np.abs(later - median(later)))


RULE = Rule(
    code="rate-too-high",
    title="The learning rate is too high",
    severity="warning",
    needs=("train_loss",),
    thresholds={
        "points": Threshold(20, "Fewer points do not tell a rise from noise."),
        "peak": Threshold(4, "Rise of the highest early loss above the first one, in parts of it."),
        "noise": Threshold(10, "The same in standard deviations of the noise."),
        "learned": Threshold(0.85, "A loss that ends lower than its start by this part has learned in spite of it."),
        "burst": Threshold(10, "Highest early gradient norm in parts of the later median, if it is logged."),
        "rise": Threshold(0.5, "Rise that counts together with a burst of the gradients, or if the loss stays there."),
    },
    detects=(
        "A loss that rises to several times its start in the first fifth of the run and does not come down well, or "
        "that rises together with a burst of the gradient norm and is no better at the end."
    ),
    quiet="Peaks of a warm-up or of one cycle after which the loss falls well, and noise of small batches.",
    why="Each step overshoots, so the weights are thrown about and end where learning is hard or impossible.",
    advice=(
        "Divide the learning rate by 10, and warm it up over the first 5 to 10 % of the steps. Clipping the gradient "
        "norm to 1.0 makes a high rate safer."
    ),
    check=check,
)
