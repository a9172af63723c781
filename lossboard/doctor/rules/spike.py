"""Spikes: the training loss jumps up for a few steps and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from lossboard.doctor.curve import Values, median
from lossboard.doctor.rule import Limits, Observation, Rule, Threshold, observe, show

if TYPE_CHECKING:
    from lossboard.doctor.case import Case
    from lossboard.doctor.curve import Curve

_WINDOW = 25


def check(case: Case, limits: Limits) -> Iterator[Observation]:
    curve = case.curve("train_loss", at_least=int(limits["points"]))
    if curve is None:
        return
    values = curve.values
    spikes = [at for at in _candidates(curve, limits) if _is_spike(values, at, limits)]
    if not spikes:
        return
    heights = [values[at] - _before(values, at) for at in spikes]
    highest = spikes[int(np.argmax(heights))]
    more = "" if len(spikes) == 1 else f" It spiked {len(spikes)} times in all."
    yield observe(
        curve,
        f"The loss jumped from {show(_before(values, highest))} to {show(values[highest])} at step "
        f"{curve.step(highest):,} and came back.{more}",
        curve.step(spikes[0]),
        curve.step(spikes[-1]),
        beside=[case.curve("gradient_norm")],
        before=_before(values, highest),
        peak=float(values[highest]),
        times_noise=float((values[highest] - _before(values, highest)) / _noise(values, highest)),
        spikes=len(spikes),
    )


def _candidates(curve: Curve, limits: Limits) -> list[int]:
    """Returns local peaks that rise fast, one for each spike. Few points of a curve do."""
    values = curve.values
    rise = np.zeros(len(values))
    rise[5:] = values[5:] - np.minimum(values[4:-1], values[:-5])
    high = np.flatnonzero(rise > limits["noise"] * curve.noise + 1e-300)
    peaks: list[int] = []
    for at in high[high >= _WINDOW].tolist():
        if peaks and at - peaks[-1] <= _WINDOW:
            peaks[-1] = at if values[at] > values[peaks[-1]] else peaks[-1]
        else:
            peaks.append(at)
        if len(peaks) > 50:  # so many are noise
            return []
    return peaks


def _before(values: Values, at: int) -> float:
    return median(values[max(0, at - _WINDOW) : max(at - 4, 1)])


def _noise(values: Values, at: int) -> float:
    """Deviation that hardly any of the points before have, as a standard deviation."""
    before = values[max(0, at - 4 * _WINDOW) : max(at - 4, 1)]
    deviations = np.abs(np.diff(before))
    return max(float(np.quantile(deviations, 0.95)) / 2, 1e-12 * abs(float(values[at])), 1e-300)


def _is_spike(values: Values, at: int, limits: Limits) -> bool:
    before = _before(values, at)
    height = values[at] - before
    if height < limits["noise"] * _noise(values, at):
        return False
    # A curve that has come far down is calm. What it does there hardly matters in view of the whole.
    fallen = float(values[:3].max()) - float(np.quantile(values, 0.05))
    if height < limits["height"] * max(fallen, abs(before)):
        return False
    around = np.delete(values[max(0, at - 2 * _WINDOW) : at + 2 * _WINDOW], slice(0, 0))
    if (around > before + height / 2).mean() > limits["width"]:
        return False
    after = values[at + 1 : at + 1 + max(2 * _WINDOW, len(values) // 5)]
    return len(after) > 0 and bool(after.min() < before + height / 4)


RULE = Rule(
    code="spike",
    title="The training loss spiked",
    severity="warning",
    needs=("train_loss",),
    thresholds={
        "points": Threshold(50, "The usual noise of a shorter curve is not known."),
        "noise": Threshold(8, "Standard deviations of the noise before it."),
        "height": Threshold(0.3, "Height in parts of what the loss has fallen, and of the level before."),
        "width": Threshold(0.3, "A longer part of the points around it is a new level, not a spike."),
    },
    detects="Single training losses far above those before, after which the loss comes back.",
    quiet=(
        "Heavy noise of small batches, bumps when the rate rises again, and small spikes late in a run that has "
        "fallen by orders of magnitude."
    ),
    why="A spike comes from a bad batch or from a rate at the limit of stability. The next one may not recover.",
    advice=(
        "Look at the examples of the batch at this step. Clip gradients (1.0 is common), and lower the rate or "
        "Adam's beta2 (0.95) if spikes come again and again."
    ),
    check=check,
)
