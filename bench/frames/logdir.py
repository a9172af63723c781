"""Writes the logdir of frames.mjs: ten runs of twelve tags, and one run of a million points."""

import math
import random
import sys
from pathlib import Path

from lossboard import SummaryWriter

RUNS, TAGS, STEPS, MANY = 10, 36, 1000, 1_000_000


def main(root: Path) -> None:
    rng = random.Random(0)
    for run in range(RUNS):
        with SummaryWriter(str(root / f"run-{run}")) as log:
            for tag in range(TAGS):
                for step in range(STEPS):
                    log.add_scalar(f"group{tag // 12}/tag{tag}", curve(step / STEPS, run, rng), step)
    with SummaryWriter(str(root / "long")) as log:
        for step in range(MANY):
            log.add_scalar("many/loss", curve(step / MANY, 0, rng), step)


def curve(share: float, run: int, rng: random.Random) -> float:
    return 0.2 + 0.02 * run + math.exp(-6 * share) + rng.gauss(0, 0.05)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
