"""Writes the logdir of groups.mjs: 1000 runs with ten learning rates and a hundred seeds."""

import math
import random
import sys
from pathlib import Path

from lossboard import SummaryWriter

RATES, SEEDS, STEPS = 10, 100, 1000


def main(root: Path) -> None:
    rng = random.Random(0)
    for rate in range(RATES):
        for seed in range(SEEDS):
            with SummaryWriter(str(root / f"lr{rate + 1}e-5-seed{seed}")) as log:
                for step in range(STEPS):
                    log.add_scalar("eval/loss", 0.2 + 0.02 * rate + math.exp(-step / 150) + rng.gauss(0, 0.05), step)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
