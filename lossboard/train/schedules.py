"""How the learning rate moves: a pure function of the update, so that a resumed run needs no state for it."""

from __future__ import annotations

import math

from lossboard.train.config import Config


def rate_factor(config: Config, step: int, *, total_steps: int) -> float:
    """The factor on `learning_rate` for update `step` (0-based): a linear rise, then the schedule's fall."""
    warmup_steps = round(config.warmup * total_steps)
    if step < warmup_steps:
        return (step + 1) / warmup_steps
    done = (step - warmup_steps) / max(1, total_steps - warmup_steps)
    match config.schedule:
        case "linear":
            return max(0.0, 1 - done)
        case "cosine":
            return 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
        case "constant":
            return 1.0
        case "exponential":
            exponent = (step - warmup_steps) / config.decay_steps
            return config.decay_rate ** (math.floor(exponent) if config.staircase else exponent)
