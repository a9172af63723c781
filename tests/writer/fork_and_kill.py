"""Forks children that log and are killed, from a process that has imported Lossboard once.

    fork_and_kill.py FOLDER KILLS RATE SEED

Each child logs into FOLDER/<n> at RATE points a second (0: as fast as it can) and notes in shared memory how many calls
have returned. Each gets SIGKILL at a random moment after its first LEAST_CALLS calls. Prints for each child how many
calls had returned.
"""

from __future__ import annotations

import json
import mmap
import os
import random
import signal
import sys
import time

import numpy as np

from lossboard import SummaryWriter

LEAST_CALLS = 10


def child(folder: str, rate: float, returned: np.ndarray, n: int) -> None:
    writer = SummaryWriter(folder)
    step = 0
    while True:
        writer.add_scalar("x", step, step)
        step += 1
        returned[n] = step  # a single store, so a kill cannot leave half of it
        if rate:
            time.sleep(1 / rate)


def main(folder: str, kills: int, rate: float, seed: int) -> None:
    chance = random.Random(seed)
    returned = np.frombuffer(mmap.mmap(-1, 8 * kills), np.int64)
    at_once = kills if rate else 4
    for first in range(0, kills, at_once):
        pids = []
        for n in range(first, min(kills, first + at_once)):
            pid = os.fork()
            if pid == 0:
                child(f"{folder}/{n}", rate, returned, n)
            pids.append(pid)
        for n, pid in enumerate(pids, first):
            while returned[n] < LEAST_CALLS:
                time.sleep(0.001)
            time.sleep(chance.uniform(0, 0.01))
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    print(json.dumps(returned.tolist()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
