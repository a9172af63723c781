"""CPU and memory use during training, and GPU use if the package `pynvml` is installed.

Values come from /proc, so no package is needed. Systems without /proc have only the metrics of the process itself.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

_PROC = Path("/proc")
_MB = 1 << 20


class SystemMonitor:
    """Use since the previous sample: percent of one core for the process, of all cores for the machine."""

    def __init__(self) -> None:
        self._gpus = _find_gpus()
        self._clock = time.monotonic()
        self._process_secs = _process_secs()
        self._machine = _machine_ticks()

    def sample(self) -> dict[str, float]:
        """Returns metric → value, without the metrics that this system does not provide."""
        found = {"system/process/memory_mb": _process_memory_mb(), **self._cpu(), **_machine_memory()}
        for gpu in self._gpus:
            found.update(gpu())
        return found

    def _cpu(self) -> dict[str, float]:
        clock, process_secs, machine = time.monotonic(), _process_secs(), _machine_ticks()
        elapsed = max(clock - self._clock, 1e-9)
        found = {"system/process/cpu_percent": 100 * (process_secs - self._process_secs) / elapsed}
        if machine and self._machine and machine[1] > self._machine[1]:
            busy, total = machine[0] - self._machine[0], machine[1] - self._machine[1]
            found["system/cpu_percent"] = 100 * busy / total
        self._clock, self._process_secs, self._machine = clock, process_secs, machine
        return found


class Sampler:
    """Daemon thread that calls `take` every `every_secs`, until it returns False or `stop` is called."""

    def __init__(self, every_secs: float, take: Callable[[], bool]) -> None:
        self._stopped = threading.Event()
        self._every_secs = every_secs
        self._take = take
        self._thread = threading.Thread(target=self._run, name="lossboard-system-metrics", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._every_secs) and self._take():
            pass


def _process_secs() -> float:
    times = os.times()
    return times.user + times.system


def _process_memory_mb() -> float:
    try:
        pages = int((_PROC / "self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / _MB
    except OSError:
        import resource  # not on Windows

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / _MB if sys.platform == "darwin" else peak / 1024


def _machine_ticks() -> tuple[int, int] | None:
    """Returns the busy ticks and all ticks of all cores since boot."""
    try:
        ticks = [int(field) for field in (_PROC / "stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return None
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)


def _machine_memory() -> dict[str, float]:
    try:
        lines = (_PROC / "meminfo").read_text().splitlines()
    except OSError:
        return {}
    kb = {line.split(":")[0]: int(line.split()[1]) for line in lines}
    used = kb["MemTotal"] - kb["MemAvailable"]
    return {"system/memory_percent": 100 * used / kb["MemTotal"]}


def _find_gpus() -> list[Callable[[], dict[str, float]]]:
    try:
        pynvml = import_module("pynvml")
    except ImportError:
        return []
    try:
        pynvml.nvmlInit()
        handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
    except pynvml.NVMLError:
        return []
    return [_gpu_reader(pynvml, index, handle) for index, handle in enumerate(handles)]


def _gpu_reader(nvml: Any, index: int, handle: Any) -> Callable[[], dict[str, float]]:
    def read() -> dict[str, float]:
        try:
            memory = nvml.nvmlDeviceGetMemoryInfo(handle)
            return {
                f"system/gpu{index}/percent": nvml.nvmlDeviceGetUtilizationRates(handle).gpu,
                f"system/gpu{index}/memory_percent": 100 * memory.used / memory.total,
                f"system/gpu{index}/watts": nvml.nvmlDeviceGetPowerUsage(handle) / 1000,
                f"system/gpu{index}/celsius": nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
            }
        except nvml.NVMLError:  # a card that fell off the bus
            return {}

    return read
