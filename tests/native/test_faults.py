"""A logdir survives failing calls: no run and no point is lost, and the process goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.mark.parametrize("program", ["out_of_memory", "too_few_threads", "listing_errors", "read_errors"])
def test_poll_survives(tmp_path: Path, shim: Path, faulty: dict[str, str], program: str) -> None:
    command = [sys.executable, "-m", "tests.native.inject_faults", str(shim), str(tmp_path / "runs"), program]
    done = subprocess.run(command, cwd=ROOT, env=faulty, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
