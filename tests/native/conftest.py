"""Fixtures of the core's tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shim") / "fault_shim.so"
    command = ["c++", "-std=c++20", "-shared", "-fPIC", "-o", path, HERE / "fault_shim.cpp", "-ldl"]
    built = subprocess.run(command, capture_output=True, check=False)
    assert built.returncode == 0, built.stderr.decode()
    return path
