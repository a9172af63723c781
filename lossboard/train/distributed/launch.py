"""Starts the worker processes of a run on this machine and waits for them."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from lossboard.errors import LossboardError

# Below the ephemeral ports of Linux, macOS and Windows.
_PORTS = (20_000, 32_000)


def launch_keras(folder: Path, *, workers: int, resume: bool) -> None:
    """Starts `workers` TensorFlow processes on this machine that train a run, and waits for them."""
    addresses = [f"127.0.0.1:{port}" for port in _free_ports(workers)]
    command = [sys.executable, "-m", "lossboard.train.keras_worker", str(folder), *(["--resume"] if resume else [])]
    started = []
    for index in range(workers):
        cluster = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        started.append(subprocess.Popen(command, env=os.environ | {"TF_CONFIG": json.dumps(cluster)}))
    statuses = _wait(started)
    if any(statuses):
        raise LossboardError(
            f"A worker failed (exit statuses {statuses}). See the output above and the logs in {folder}."
        )


def _wait(started: list[subprocess.Popen[bytes]]) -> list[int]:
    """Waits for all processes. If one fails, terminates the others, which would wait for it forever."""
    waiting = list(started)
    while waiting:
        for process in list(waiting):
            try:
                status = process.wait(timeout=0.5)
            except subprocess.TimeoutExpired:
                continue
            waiting.remove(process)
            if status:
                for other in waiting:
                    other.terminate()
    return [process.returncode for process in started]


def _free_ports(number: int) -> list[int]:
    """Returns ports that are free now and outside the ephemeral range, because the workers listen seconds later."""
    ports: list[int] = []
    with ExitStack() as held:
        while len(ports) < number:
            candidate = held.enter_context(socket.socket())
            try:
                candidate.bind(("127.0.0.1", random.randrange(*_PORTS)))
            except OSError:
                continue
            ports.append(int(candidate.getsockname()[1]))
    return ports


def launch_torch(run_folder: Path, *, workers: int, resume: bool) -> None:
    """Starts `workers` torch processes on this machine that train a run, and waits for them."""
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(workers)]
    command += ["--master-addr", "127.0.0.1", "--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:0"]
    command += ["-m", "lossboard.train.torch_worker", str(run_folder), *(["--resume"] if resume else [])]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    environment = {"OMP_NUM_THREADS": str(max(1, cores // workers))} | dict(os.environ)
    status = subprocess.run(command, env=environment, check=False).returncode
    if status:
        raise LossboardError(
            f"A worker exited with status {status}. See the output above and the logs in {run_folder}."
        )
