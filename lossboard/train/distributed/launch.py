"""Starts the worker processes of a run on this machine, waits for them and reports why they ended.

A worker is `python -m lossboard.train.<engine>_worker`, and `worker.py` is its side of this:
* It ends with this process, because it watches a pipe that only this process holds open.
* It ignores Ctrl-C in the terminal. This process passes every stop signal on as one SIGTERM.
* It writes an error that ends it to a file. Rank 0 prints to the terminal, rank k to `workers/k.log` in the run.
"""

from __future__ import annotations

import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from lossboard.errors import LossboardError
from lossboard.train.distributed.worker import ERROR_FILE, PARENT_FD, WorkerError
from lossboard.train.distributed.world import STORE_FD

# Time for the other workers to end by themselves after one has failed.
GRACE_SECS = 15.0
POLL_SECS = 0.05


class WorkerFailed(LossboardError):
    """A worker ended with an error. `is_recorded` says whether rank 0 has recorded it as a finding."""

    def __init__(self, message: str, *, is_recorded: bool) -> None:
        super().__init__(message)
        self.is_recorded = is_recorded


def launch_torch(run: Path, *, workers: int, resume: bool, stop_requested: Callable[[], bool]) -> None:
    """Trains a run in `workers` torch processes. Raises KeyboardInterrupt if it was stopped."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # Rank 0 takes over a socket that listens already, so no other program can take its port.
    with socket.create_server(("127.0.0.1", 0)) as store:
        shared = {
            "WORLD_SIZE": str(workers),
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(store.getsockname()[1]),
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(max(1, cores // workers))),
        }
        if sys.platform == "linux":
            shared["GLOO_SOCKET_IFNAME"] = os.environ.get("GLOO_SOCKET_IFNAME", "lo")
        ranks = [shared | {"LOCAL_RANK": str(rank)} for rank in range(workers)]
        ranks[0][STORE_FD] = str(store.fileno())
        command = _command("lossboard.train.torch_worker", run, resume=resume)
        run_workers(command, run, ranks, fds=(store.fileno(),), stop_requested=stop_requested)


def launch_keras(run: Path, *, workers: int, resume: bool, stop_requested: Callable[[], bool]) -> None:
    """Trains a run in `workers` TensorFlow processes. Raises KeyboardInterrupt if it was stopped."""
    with _reserved_ports(workers) as ports:
        cluster = {"worker": [f"127.0.0.1:{port}" for port in ports]}
        tasks = [{"cluster": cluster, "task": {"type": "worker", "index": rank}} for rank in range(workers)]
        ranks = [{"TF_CONFIG": json.dumps(task), "TF_GRPC_REUSE_PORT": "1"} for task in tasks]
        command = _command("lossboard.train.keras_worker", run, resume=resume)
        run_workers(command, run, ranks, stop_requested=stop_requested)


def _command(module: str, run: Path, *, resume: bool) -> list[str]:
    return [sys.executable, "-m", module, str(run), *(["--resume"] if resume else [])]


@contextmanager
def _reserved_ports(number: int) -> Iterator[list[int]]:
    """Reserves ports for TensorFlow's servers, which start seconds later.

    With SO_REUSEPORT here and in the servers, they can bind the same ports, and other programs cannot.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            each.bind(("127.0.0.1", 0))
        yield [int(each.getsockname()[1]) for each in sockets]


# ---- processes ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Worker:
    rank: int
    process: subprocess.Popen[bytes]
    error_file: Path
    log: Path

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def has_failed(self) -> bool:
        return self.process.poll() not in (None, 0)


def run_workers(
    command: Sequence[str],
    run: Path,
    environments: Sequence[Mapping[str, str]],
    *,
    fds: Sequence[int] = (),
    stop_requested: Callable[[], bool],
) -> None:
    with ExitStack() as cleanup:
        errors = Path(cleanup.enter_context(tempfile.TemporaryDirectory()))
        parent_fd, open_end = os.pipe()
        cleanup.callback(os.close, parent_fd)
        cleanup.callback(os.close, open_end)
        workers: list[_Worker] = []
        cleanup.callback(_kill, workers)
        for rank, environment in enumerate(environments):
            shared = {"RANK": str(rank), PARENT_FD: str(parent_fd), ERROR_FILE: str(errors / str(rank))}
            process = _start(command, run, rank, {**environment, **shared}, fds=(*fds, parent_fd))
            workers.append(_Worker(rank, process, errors / str(rank), _log_file(run, rank)))
        ended_by_us = _wait(workers, stop_requested)
        if stop_requested():
            raise KeyboardInterrupt
        failures = [_failure(worker) for worker in workers if worker.has_failed and worker not in ended_by_us]
        if failures:
            first = min(failures, key=lambda failure: failure.time)
            raise WorkerFailed(first.message, is_recorded=first.is_recorded)


def _start(
    command: Sequence[str], run: Path, rank: int, environment: Mapping[str, str], *, fds: Sequence[int]
) -> subprocess.Popen[bytes]:
    with ExitStack() as streams:
        log = None
        if rank > 0:
            _log_file(run, rank).parent.mkdir(exist_ok=True)
            log = streams.enter_context(_log_file(run, rank).open("ab"))
        # A worker inherits the blocked signal, so Ctrl-C does not reach it even while Python starts.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return subprocess.Popen(
                command,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=fds,
            )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _wait(workers: Sequence[_Worker], stop_requested: Callable[[], bool]) -> list[_Worker]:
    """Waits until all workers have ended. Returns those that had to be killed after another one failed."""
    stopping, deadline = False, math.inf
    while running := [worker for worker in workers if worker.is_running]:
        if stop_requested() and not stopping:
            stopping = True
            for worker in running:
                worker.process.terminate()
        if deadline == math.inf and any(worker.has_failed for worker in workers):
            deadline = time.monotonic() + GRACE_SECS
        if time.monotonic() > deadline:
            _kill(running)
            return running
        time.sleep(POLL_SECS)
    return []


def _kill(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        if worker.is_running:
            worker.process.kill()
    for worker in workers:
        worker.process.wait()


def _log_file(run: Path, rank: int) -> Path:
    return run / "console.log" if rank == 0 else run / "workers" / f"{rank}.log"


# ---- why a worker ended ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Failure:
    message: str
    time: float
    is_recorded: bool = False


def _failure(worker: _Worker) -> _Failure:
    """Describes a failed worker. If several failed, the first is the cause, and the others only lost their peer."""
    status = worker.process.returncode
    if status < 0:
        name = signal.Signals(-status).name
        often = " This often means that the system ran out of memory." if -status == signal.SIGKILL else ""
        return _Failure(f"Worker {worker.rank} was ended by {name}.{often} Its output is in {worker.log}.", -math.inf)
    with suppress(FileNotFoundError):
        error = WorkerError.read(worker.error_file)
        if not error.is_expected:
            message = f"Worker {worker.rank} failed: {error.message}. The traceback is in {worker.log}."
            return _Failure(message, error.time)
        message = error.message if worker.rank == 0 else f"Worker {worker.rank}: {error.message}"
        return _Failure(message, error.time, is_recorded=worker.rank == 0)
    return _Failure(f"Worker {worker.rank} exited with status {status}. Its output is in {worker.log}.", math.inf)
