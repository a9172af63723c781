"""Fixtures of the core's tests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shim") / "fault_shim.so"
    command = ["c++", "-std=c++20", "-shared", "-fPIC", "-o", path, HERE / "fault_shim.cpp", "-ldl"]
    if "LOSSBOARD_CORE" in os.environ:
        command.append("-DSANITIZED")
    built = subprocess.run(command, capture_output=True, check=False)
    assert built.returncode == 0, built.stderr.decode()
    return path


@pytest.fixture(scope="session")
def faulty(shim: Path) -> dict[str, str]:
    """Environment of a process whose calls can fail."""
    others = os.environ.get("LD_PRELOAD", "")
    return {**os.environ, "LD_PRELOAD": f"{shim}:{others}" if others else str(shim)}
