"""Learning-rate schedules. Pure functions of the step, so a resumed run needs no scheduler state.

To add a schedule, extend `Schedule` and `_SCHEDULES`. The config, the flags and their help follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from lossboard.train.config import Config

Schedule = Literal["linear", "cosine", "constant", "exponential"]


def lr_factor(config: Config, step: int, *, total_steps: int) -> float:
    """Returns the factor on `learning_rate` for the 0-based `step`: a linear warmup, then the schedule."""
    warmup_steps = round(config.warmup * total_steps)
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    return _SCHEDULES[config.schedule](config, step - warmup_steps, max(1, total_steps - warmup_steps))


def _linear(config: Config, step: int, steps: int) -> float:
    return max(0.0, 1 - step / steps)


def _cosine(config: Config, step: int, steps: int) -> float:
    return 0.5 * (1 + math.cos(math.pi * min(1.0, step / steps)))


def _constant(config: Config, step: int, steps: int) -> float:
    return 1.0


def _exponential(config: Config, step: int, steps: int) -> float:
    exponent = step / config.decay_steps
    return config.decay_rate ** (math.floor(exponent) if config.staircase else exponent)


# Each function takes the config, the step after warmup, and the number of steps after warmup.
_SCHEDULES: dict[Schedule, Callable[[Config, int, int], float]] = {
    "linear": _linear,
    "cosine": _cosine,
    "constant": _constant,
    "exponential": _exponential,
}
