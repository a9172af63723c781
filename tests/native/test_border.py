"""The border to Python rejects arguments that would break the core."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lossboard import _core

STEPS = np.arange(1000)
VALUES = np.linspace(0, 1, 1000)
LINE = (STEPS, 0.0, VALUES, VALUES)
INF, NAN = math.inf, math.nan


def density(lines: list[Any], *, width: int = 10, height: int = 10, y: tuple[float, float] = (NAN, NAN)) -> Any:
    return _core.density(lines, 0, 999, width, height, *y, False)


MISTAKES: dict[str, Callable[[], object]] = {
    "no cells": lambda: _core.sample_lines([LINE], -INF, INF, 0),
    "negative cells": lambda: _core.sample_lines([LINE], -INF, INF, -1),
    "too many cells": lambda: _core.sample_lines([LINE], -INF, INF, 1 << 40),
    "no width": lambda: density([LINE], width=0),
    "no height": lambda: density([LINE], height=0),
    "overflowing size": lambda: density([LINE], width=1 << 33, height=1 << 33),
    "short tuple": lambda: _core.x_extent([(STEPS, 0.0)]),  # type: ignore[list-item]
    "unequal lengths": lambda: _core.x_extent([(STEPS, 0.0, VALUES[:5], VALUES)]),
    "negative radius": lambda: _core.running_mean(VALUES, -3),
    "infinite sigma": lambda: _core.gaussian(VALUES, INF),
    "NaN sigma": lambda: _core.gaussian(VALUES, NAN),
    "negative sigma": lambda: _core.gaussian(VALUES, -1.0),
    "NaN weight": lambda: _core.ema(VALUES, NAN),
    "weight above 1": lambda: _core.ema(VALUES, 1.5),
}


@pytest.mark.parametrize("call", MISTAKES.values(), ids=MISTAKES)
def test_invalid_argument_raises(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"[A-Za-z]"):
        call()


@pytest.mark.parametrize("field", [-1, 0, 16, 1 << 20])
def test_invalid_field_writes_nothing(tmp_path: Path, field: int) -> None:
    writer = _core.EventWriter(str(tmp_path), "", float, int)
    with pytest.raises(ValueError, match="from 1 to 15"):
        writer.event(field, b"", 0, None)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("radius", [1000, 2**62, 2**63 - 1])
def test_large_window_covers_everything(radius: int) -> None:
    assert np.allclose(_core.running_mean(VALUES, radius), VALUES.mean())


def test_large_sigma_covers_everything() -> None:
    assert np.allclose(_core.gaussian(VALUES, 1e200), _core.gaussian(VALUES, 1e8))


EXTREMES = [0.0, -0.0, 5e-324, 1e-300, 1.0, 1e300, -1e300, 1.7e308, -1.7e308, INF, -INF, NAN]


@pytest.mark.parametrize("first", EXTREMES)
@pytest.mark.parametrize("second", EXTREMES)
def test_any_value_and_range_is_drawn(first: float, second: float) -> None:
    values = np.array([first, second, first, 1.0])
    for x in (np.arange(4), values):
        line = (x, 0.0, values, values)
        for cells in (1, 2, 10):
            assert len(_core.sample_lines([line], first, second, cells).points) == 1
        for log in (False, True):
            _, _, counts, *_ = _core.density([line], 0, 3, 5, 5, first, second, log)
            assert counts.max() <= 1
            _, _, counts, *_ = _core.density([line], first, second, 5, 5, NAN, NAN, log)
            assert counts.max() <= 1


def test_list_may_change_while_it_is_sampled() -> None:
    stop = threading.Event()
    lines: list[_core.Line] = []

    def change() -> None:
        while not stop.is_set():
            values = np.random.default_rng(0).normal(size=100_000)
            lines[:] = [(np.arange(100_000), 0.0, values, values.copy()) for _ in range(4)]
            lines.clear()

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(100):
            _core.sample_lines(lines, -INF, INF, 100)
            _core.x_extent(lines)
            density(lines)
    finally:
        stop.set()
        thread.join()


UNINITIALIZED = """
import sys, warnings
from lossboard import _core
warnings.simplefilter("ignore")
for name, cls in vars(_core).items():
    if not isinstance(cls, type):
        continue
    for member in dir(cls):
        if member.startswith("__") and member not in ("__len__", "__iter__", "__next__"):
            continue
        try:
            value = getattr(cls.__new__(cls), member)
            value()
        except (TypeError, RuntimeError, AttributeError, StopIteration):
            pass
for arguments in [(), (3,), (_core.EventWriter.__new__(_core.EventWriter),)]:
    try:
        _core.ScalarLogger(*arguments)
    except TypeError:
        continue
    sys.exit("no TypeError")
"""


def test_uninitialized_objects_raise() -> None:
    done = subprocess.run([sys.executable, "-c", UNINITIALIZED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
