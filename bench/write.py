"""Compares logging: Lossboard, torch's SummaryWriter, tensorboardX, and W&B offline if installed. Then kills writers.

Wall time includes close(), until everything is in the file. The caller's CPU is the time of the training thread. The
writers take turns, and the minimum of several tries counts, because other work on the machine only adds time.

    python bench/write.py [--tries 7] [--kills 1000]
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import tensorboardX
import torch
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from lossboard import SummaryWriter
from lossboard.store.logdir import Logdir

PEERS: dict[str, Callable[[str], Any]] = {"torch": TorchWriter, "tensorboardX": tensorboardX.SummaryWriter}
FORK_AND_KILL = Path(__file__).parent.parent / "tests" / "writer" / "fork_and_kill.py"
METRICS = {f"train/metric{i}": 0.1 * i for i in range(10)}
VALUES = torch.randn(1_000_000)


class OfflineWandb:
    """W&B without its server and without its system metrics, for scalars."""

    def __init__(self, folder: str) -> None:
        import wandb

        self._run = wandb.init(mode="offline", dir=folder, settings=wandb.Settings(silent=True, x_disable_stats=True))

    def add_scalar(self, tag: str, value: float, step: int) -> None:
        self._run.log({tag: value}, step=step)

    def add_scalars_dict(self, values: dict[str, float], step: int) -> None:
        self._run.log(values, step=step)

    def close(self) -> None:
        self._run.finish()


@dataclass(frozen=True)
class Cost:
    wall_secs: float
    caller_secs: float


@dataclass(frozen=True)
class Work:
    """A timed workload, its calls per try, and the promised ratios of wall time and caller's CPU against torch."""

    name: str
    calls: int
    log: Callable[[Any, int], None]  # to a writer, so many calls
    wanted_wall: float
    wanted_caller: float = 0
    max_micros: float = 0
    is_scalars: bool = False


def photograph() -> np.ndarray:
    y, x = np.mgrid[:256, :256] / 256
    waves = np.stack([np.sin(8 * x + 3 * y), np.cos(6 * y * x), np.sin(20 * x * y)])
    noisy = waves * 100 + 128 + np.random.default_rng(0).normal(0, 6, waves.shape)
    return noisy.clip(0, 255).astype(np.uint8)


def log_scalar(writer: Any, calls: int) -> None:
    for step in range(calls):
        writer.add_scalar("train/loss", 0.5, step)


def log_metrics(writer: Any, calls: int) -> None:
    for step in range(calls):
        if hasattr(writer, "add_scalars_dict"):
            writer.add_scalars_dict(METRICS, step)
        else:
            for tag, value in METRICS.items():
                writer.add_scalar(tag, value, step)


def log_histogram(writer: Any, calls: int) -> None:
    for step in range(calls):
        writer.add_histogram("weights", VALUES, step)


def log_image(pixels: np.ndarray, writer: Any, calls: int) -> None:
    for step in range(calls):
        writer.add_image("image", pixels, step)


PHOTOGRAPH = photograph()
NOISE = np.random.default_rng(0).integers(0, 256, (3, 256, 256), dtype=np.uint8)
WORKS = [
    Work("add_scalar", 10_000, log_scalar, 50, 20, max_micros=2, is_scalars=True),
    Work("10 scalars", 500, log_metrics, 50, max_micros=6, is_scalars=True),
    Work("histogram of 1 M", 3, log_histogram, 5),
    Work("image, photograph", 10, partial(log_image, PHOTOGRAPH), 2),
    Work("image, noise", 10, partial(log_image, NOISE), 2),
]


def measure(make: Callable[[str], Any], work: Work) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        writer = make(folder)
        wall, caller = time.perf_counter(), time.thread_time()
        work.log(writer, work.calls)
        called = time.thread_time() - caller
        writer.close()
        wall = time.perf_counter() - wall
    return Cost(wall / work.calls, called / work.calls)


def compare(work: Work, tries: int) -> None:
    peers = PEERS | ({"W&B offline": OfflineWandb} if work.is_scalars and find_spec("wandb") else {})
    makers = {"lossboard": SummaryWriter, **peers}
    taken = {name: [] for name in makers}
    for _ in range(tries):
        for name, make in makers.items():
            taken[name].append(measure(make, work))
    best = {
        name: Cost(min(cost.wall_secs for cost in costs), min(cost.caller_secs for cost in costs))
        for name, costs in taken.items()
    }
    ours = best["lossboard"]
    limit = f" (wanted ≤ {work.max_micros:g})" if work.max_micros else ""
    print(f"{work.name:18} lossboard {ours.wall_secs * 1e6:9.2f} µs{limit}")
    for name in peers:
        wall, caller = best[name].wall_secs / ours.wall_secs, best[name].caller_secs / ours.caller_secs
        wanted = f" (wanted {work.wanted_wall:g}×, caller {work.wanted_caller:g}×)" if name == "torch" else ""
        cost = f"{best[name].wall_secs * 1e6:9.2f} µs"
        print(f"{'':18} {name:12} {cost}   {wall:6.1f}× wall, {caller:6.1f}× caller's CPU{wanted}", flush=True)


def bare_write() -> None:
    record = b"x" * 54
    with tempfile.TemporaryDirectory() as folder:
        fd = os.open(f"{folder}/bare", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        started = time.perf_counter()
        for _ in range(100_000):
            os.write(fd, record)
        print(f"{'a bare write':18} of 54 bytes {(time.perf_counter() - started) * 10:7.2f} µs")
        os.close(fd)


def kill(rate: int, kills: int) -> None:
    """Kills logging children at random moments, and counts lost points whose calls had returned."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, FORK_AND_KILL, folder, str(kills), str(rate), "1"]
        returned = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        logdir = Logdir.parse(folder)
        logdir.poll()
        lost = 0
        for n, count in enumerate(returned):
            kept = len(logdir.runs[str(n)].column("x")) if count else 0
            lost += max(0, count - kept)
    speed = f"{rate}/s" if rate else "full speed"
    print(f"{kills} kills at {speed}: {lost} lost of {sum(returned)} (wanted 0)", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=7)
    parser.add_argument("--kills", type=int, default=1000)
    options = parser.parse_args()
    logging.disable()
    bare_write()
    for work in WORKS:
        compare(work, options.tries)
    for rate, share in ((10, 0.2), (100, 0.3), (0, 0.5)):
        if kills := int(options.kills * share):
            kill(rate, kills)
