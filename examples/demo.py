"""Writes a demo logdir: a sweep over learning rates, with one run that diverges and one that was restarted.

Usage: python examples/demo.py runs
"""

from __future__ import annotations

import math
import random
import sys
import time
from pathlib import Path

from lossboard import SummaryWriter

STEPS = 2000
RATES = (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)
SEEDS = 3


def train(folder: Path, *, rate: float, seed: int, began: float, first_step: int = 0, last_step: int = STEPS) -> None:
    """Logs a simulated training run with this learning rate."""
    noise = random.Random(f"{rate} {seed} {first_step}")
    speed = rate / (rate + 1e-3)
    with SummaryWriter(folder) as writer:
        for step in range(first_step, last_step):
            now = began + step * 1.5
            fitted = 1 - math.exp(-speed * step / 250)
            loss = 2.3 * (1 - 0.93 * fitted) + noise.gauss(0, 0.06) * (1.2 - fitted)
            if rate >= 1e-2 and step > 900:
                loss = math.nan if step > 1400 else loss * math.exp((step - 900) / 120)
            writer.add_scalar("train/loss", loss, step, walltime=now)
            writer.add_scalar("train/learning_rate", rate * (1 - step / STEPS), step, walltime=now)
            writer.add_scalar("train/grad_norm", abs(noise.gauss(1.4 - fitted, 0.3)), step, walltime=now)
            if step % 50 == 0:
                writer.add_scalar("eval/loss", 2.3 * (1 - 0.9 * fitted) + noise.gauss(0, 0.02), step, walltime=now)
                writer.add_scalar("eval/accuracy", 0.1 + 0.87 * fitted + noise.gauss(0, 0.004), step, walltime=now)


def main(logdir: Path) -> None:
    began = time.time() - 6 * 3600
    for number, rate in enumerate(RATES):
        for seed in range(SEEDS):
            folder = logdir / f"lr{rate:g}-seed{seed}"
            start = began + (number * SEEDS + seed) * 300
            if rate == 1e-3 and seed == 0:
                train(folder, rate=rate, seed=seed, began=start, last_step=1200)
                train(folder, rate=rate, seed=seed, began=start + 900, first_step=800)
            else:
                train(folder, rate=rate, seed=seed, began=start)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
