"""A small file system that can be filled."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def mounted(disk: Path) -> Iterator[Path]:
    """Mounts a file system of 2 MB, or skips the test where that is not allowed."""
    disk.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True)
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path, *, free_bytes: int) -> Path:
    """Fills the file system but for some bytes, and returns the file that does it."""
    status = os.statvfs(disk)
    ballast = disk / "ballast"
    ballast.write_bytes(b"x" * (status.f_bavail * status.f_frsize - free_bytes))
    return ballast
