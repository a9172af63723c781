"""Memory available for training: of the machine, a container or a GPU. Also malloc settings."""

import ctypes
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CGROUPS = Path("/sys/fs/cgroup")
# glibc's mallopt: https://man7.org/linux/man-pages/man3/mallopt.3.html
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3


@dataclass(frozen=True)
class DeviceMemory:
    """Total and free memory of a device, and what limits it."""

    device: str
    total_bytes: int
    free_bytes: int
    limited_by: str


def device_memory(device: str = "auto") -> DeviceMemory:
    """Returns the memory of `cpu` or `cuda`. `auto` is the GPU if torch finds one, else the CPU."""
    if device in ("auto", "cuda"):
        gpu = _cuda_memory()
        if gpu:
            return gpu
    return cpu_memory()


def has_fast_half_precision(*, cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Returns whether the CPU has bf16 or fp16 instructions. Without them, torch is several times slower than fp32."""
    if not cpuinfo.exists():
        return True  # not Linux: unknown, so no warning
    flags = set(cpuinfo.read_text(encoding="utf-8").split())
    return bool(flags & {"avx512_bf16", "amx_bf16", "avx512_fp16", "bf16"})


def address_space_is_limited() -> bool:
    """Returns whether `ulimit -v` is set. Memory that malloc keeps is then missing for oneDNN, which bypasses it."""
    if sys.platform != "linux":
        return False
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def configure_malloc(*, release_eagerly: bool) -> None:
    """Makes glibc's malloc keep freed memory for the next step, or return it to the system at once.

    By default malloc adapts its thresholds as blocks come and go. Kept pages need not be requested and cleared again,
    which saves three quarters of the page faults. But between gradients they are holes that recomputed activations do
    not fit in. With gradient checkpointing these holes are half of the peak, and they vary from run to run. Releasing
    eagerly gives each large block its own pages, for a fifth more time. It is used with checkpointing and after the
    first OOM. Other C libraries have no such heap.
    """
    library: Any = ctypes.CDLL(None) if sys.platform == "linux" else None
    if not hasattr(library, "mallopt"):
        return
    library.mallopt(M_MMAP_THRESHOLD, 256 << 10 if release_eagerly else 32 << 20)
    library.mallopt(M_TRIM_THRESHOLD, 64 << 20 if release_eagerly else (1 << 31) - 1)
    if release_eagerly:
        library.malloc_trim(0)


def cpu_memory(*, meminfo: Path = Path("/proc/meminfo"), cgroups: Path = CGROUPS) -> DeviceMemory:
    total, available = _meminfo(meminfo)
    limit = _cgroup_limit(cgroups)
    if limit is None or limit[0] >= total:
        return DeviceMemory("cpu", total, available, "the machine's memory")
    maximum, used = limit
    return DeviceMemory("cpu", maximum, min(available, max(0, maximum - used)), "the container's limit")


def _meminfo(path: Path) -> tuple[int, int]:
    fields = dict(line.split(":", 1) for line in path.read_text(encoding="ascii").splitlines())
    return _kilobytes(fields["MemTotal"]), _kilobytes(fields["MemAvailable"])


def _kilobytes(field: str) -> int:
    return int(field.split()[0]) * 1024


def _cgroup_limit(root: Path) -> tuple[int, int] | None:
    """Returns (limit, used) of the tightest cgroup of this process; None without a limit."""
    limits = []
    for folder in _own_groups(root):
        for names in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            maximum, used = (_read_bytes(folder / name) for name in names)
            if maximum is not None:
                limits.append((maximum, max(0, (used or 0) - _reclaimable(folder))))
    return min(limits, key=lambda pair: pair[0] - pair[1], default=None)


def _reclaimable(folder: Path) -> int:
    """Returns the page cache, which counts as used but is freed when memory is needed."""
    try:
        lines = (folder / "memory.stat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    held = dict(line.split() for line in lines)
    return sum(int(held.get(f"total_{name}", held.get(name, 0))) for name in ("inactive_file", "active_file"))


def _own_groups(root: Path) -> list[Path]:
    """Returns the cgroup directories of this process. Inside a container, the root is the container's group."""
    folders = [root, root / "memory"]
    membership = Path("/proc/self/cgroup")
    for line in membership.read_text(encoding="utf-8").splitlines() if membership.is_file() else ():
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            top = root / controllers
            own = top / path.lstrip("/")
            folders += [folder for folder in (own, *own.parents) if folder.is_relative_to(top)]
    return folders


def _read_bytes(path: Path) -> int | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return None if text == "max" else int(text)


def _cuda_memory() -> DeviceMemory | None:
    if not importlib.util.find_spec("torch"):
        return None
    import torch

    if not torch.cuda.is_available():
        return None
    free, total = torch.cuda.mem_get_info()
    return DeviceMemory("cuda", total, free, torch.cuda.get_device_name())
