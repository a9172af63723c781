"""Writes the logdir of table.mjs: 10,000 runs with 196 hyperparameters and four metrics each."""

import json
import random
import sys
from pathlib import Path

from lossboard import SummaryWriter

RUNS, HYPERPARAMETERS, STEPS = 10_000, 196, 5
METRICS = ("eval/loss", "eval/accuracy", "train/loss", "train/grad_norm")


def main(root: Path, runs: int = RUNS) -> None:
    rng = random.Random(0)
    for run in range(runs):
        folder = root / f"group-{run // 1000}" / f"trial-{run:05}"
        with SummaryWriter(folder) as log:
            for step in range(STEPS):
                for tag in METRICS:
                    log.add_scalar(tag, rng.random() / (step + 1), step)
        settings = {f"part{i // 20}.setting{i}": setting(i, rng) for i in range(HYPERPARAMETERS)}
        (folder / "config.json").write_text(json.dumps(settings))


def setting(i: int, rng: random.Random) -> float | str | bool:
    """Returns a value of one of three types; no setting is the same in all runs."""
    if i % 3 == 0:
        return round(10 ** rng.uniform(-5, -2), 7)
    return rng.choice(["adamw", "sgd", "lion"]) if i % 3 == 1 else rng.random() < 0.5


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
