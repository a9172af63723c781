"""Several TensorFlow processes that train one model: started here, or by the user, one on each machine.

TF_CONFIG names the cluster, as TensorFlow documents. With a run's folder that all machines see, this on each of them
trains it: `TF_CONFIG=… python -m lossboard.train.keras_workers runs/2026-02-10_012`.
"""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path

from lossboard.errors import LossboardError
from lossboard.train.runs import RunFolder

# Below the ephemeral ports of Linux, macOS and Windows.
_PORTS = (20_000, 32_000)


def launch(folder: Path, *, workers: int, resume: bool) -> None:
    """Starts `workers` processes on this machine that train the run in `folder`, and waits for them."""
    addresses = [f"127.0.0.1:{port}" for port in _free_ports(workers)]
    command = [sys.executable, "-m", __name__, str(folder), *(["--resume"] if resume else [])]
    started = []
    for index in range(workers):
        cluster = {"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}}
        started.append(subprocess.Popen(command, env=os.environ | {"TF_CONFIG": json.dumps(cluster)}))
    statuses = _wait(started)
    if any(statuses):
        raise LossboardError(f"A worker failed (statuses {statuses}); its last words are above and in {folder}.")


def _wait(started: list[subprocess.Popen[bytes]]) -> list[int]:
    """When one fails, the others would wait for it for ever: they are ended too."""
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
    """Ports that are free now and that the system gives to nobody by itself: the workers listen only seconds later."""
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


def main() -> None:
    from lossboard.train import keras_loop
    from lossboard.train.attended import attended

    run = RunFolder(Path(sys.argv[1]))
    leads = keras_loop.world_of_this_process().leads
    try:
        with attended(run) if leads else nullcontext():
            keras_loop.train(run.config(), run, resume="--resume" in sys.argv)
    except LossboardError as error:
        sys.exit(f"lossboard: {error}")
    sys.stdout.flush()
    sys.stderr.flush()
    # The collective threads of a cluster outlive its work and would keep the process from ending.
    os._exit(0)


if __name__ == "__main__":
    main()
