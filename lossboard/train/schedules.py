"""Learning-rate schedules. Pure functions of the step, so a resumed run needs no scheduler state.

To add a schedule, add a line to `SCHEDULES`. The config, the flags, their help and both engines use it, and a test
compares it with docs/finetune.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lossboard.train.config import Config


def _exponential(config: Config, step: int, steps: int) -> float:
    exponent = step / config.decay_steps
    return config.decay_rate ** (math.floor(exponent) if config.staircase else exponent)


@dataclass(frozen=True)
class Schedule:
    """A schedule: what it does, and its factor from the config, the step after warmup and the number of such steps."""

    description: str
    factor: Callable[[Config, int, int], float]


SCHEDULES = {
    "linear": Schedule("falls in a straight line to 0", lambda config, step, steps: max(0.0, 1 - step / steps)),
    "cosine": Schedule(
        "falls to 0 along half a cosine wave",
        lambda config, step, steps: 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps))),
    ),
    "constant": Schedule("stays at the peak", lambda config, step, steps: 1.0),
    "exponential": Schedule("is multiplied by --decay-rate every --decay-steps steps", _exponential),
}


# The names as a type, which a type checker cannot take from a table.
if TYPE_CHECKING:
    ScheduleName = str
else:
    ScheduleName = Literal[tuple(SCHEDULES)]


def lr_factor(config: Config, step: int, *, total_steps: int) -> float:
    """Returns the factor on `learning_rate` for the 0-based `step`: a linear warmup, then the schedule."""
    warmup_steps = round(config.warmup * total_steps)
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    return SCHEDULES[config.schedule].factor(config, step - warmup_steps, max(1, total_steps - warmup_steps))


def total_rate(config: Config, *, total_steps: int) -> float:
    """Returns the sum of the learning rates of a run, from at most a thousand of its steps."""
    steps = range(0, total_steps, max(1, total_steps // 1000))
    factors = [lr_factor(config, step, total_steps=total_steps) for step in steps]
    return config.learning_rate * total_steps * sum(factors) / max(1, len(factors))
