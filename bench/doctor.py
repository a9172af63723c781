"""CPU time of the doctor: all findings of 1,000 runs with 10 tags of 1,000 points each, and of 50 runs that grow.

    python bench/doctor.py

Reading the same logdir is the peer: the doctor's time is printed as a ratio to it.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from lossboard import SummaryWriter
from lossboard.board import open_logdir
from lossboard.doctor.diagnose import create_doctor

RUNS, POINTS, GROWING, TICKS = 1000, 1000, 50, 20
TAGS = [
    "train/loss",
    "val/loss",
    "train/accuracy",
    "val/accuracy",
    "train/learning_rate",
    "train/grad_norm",
    "time/data",
    "time/step",
    "train/samples_per_second",
    "system/process/memory_mb",
]


def write_runs(folder: Path) -> list[SummaryWriter]:
    """Returns the writers of the runs that go on."""
    rng = np.random.default_rng(0)
    growing = []
    for number in range(RUNS):
        writer = SummaryWriter(folder / f"run-{number}")
        for tag in TAGS:
            values = 2 * np.exp(-np.arange(POINTS) / 200) + 0.3 + rng.normal(0, 0.02, POINTS)
            for step, value in enumerate(values.tolist()):
                writer.add_scalar(tag, value, step)
        if number < GROWING:
            growing.append(writer)
        else:
            writer.close()
    return growing


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        growing = write_runs(Path(folder))
        started = time.process_time()
        logdir = open_logdir(folder)
        read = time.process_time() - started
        doctor = create_doctor(logdir)
        started = time.process_time()
        doctor.check()
        judged = time.process_time() - started
        print(f"{RUNS} runs: read in {read:.2f} s, judged in {judged:.2f} s ({judged / read:.1f} times as long)")
        ticks, polls = [], []
        for tick in range(TICKS):
            for writer in growing:
                for tag in TAGS:
                    writer.add_scalar(tag, 0.3, POINTS + tick)
            started = time.process_time()
            logdir.poll()
            polls.append(1000 * (time.process_time() - started))
            started = time.process_time()
            doctor.check()
            ticks.append(1000 * (time.process_time() - started))
        print(f"{GROWING} growing runs: {np.median(ticks):.0f} ms per tick, at most {max(ticks):.0f} ms")
        print(f"Polling them takes {np.median(polls):.0f} ms. A board polls every second and judges every 5 seconds.")
        for writer in growing:
            writer.close()


if __name__ == "__main__":
    main()
