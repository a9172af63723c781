"""Restarts and earlier attempts of a scalar series."""

from __future__ import annotations

from pathlib import Path

import pytest

import lossboard
from lossboard.events.summary import encode_event, encode_simple_value
from lossboard.series_math.points import Points, earlier_attempts, restarts
from reference import frame


@pytest.mark.parametrize(
    ("steps", "restarted_at", "superseded"),
    [
        ([0, 1, 2], [], []),
        ([0, 1, 1, 2, 2, 2], [], []),
        ([0, 1, 2, 1, 2], [1], [[1, 2]]),
        ([0, 1, 2, 2, 3, 1, 1, 2], [1], [[1, 2, 3]]),
        ([0, 1, 2, 1, 2, 0], [0], [[0, 1, 2], [1, 2]]),
        ([0, 1, 2, 3, 2, 3, 1], [1], [[1, 2, 3], [2, 3]]),
        ([5, 5, 4, 4], [4], [[5]]),
    ],
)
def test_only_a_step_that_goes_back_is_a_restart(
    tmp_path: Path, steps: list[int], restarted_at: list[int], superseded: list[list[int]]
) -> None:
    events = (encode_event(1000.0 + i, step, values=[encode_simple_value("a", i)]) for i, step in enumerate(steps))
    (tmp_path / "events.out.tfevents.1").write_bytes(b"".join(map(frame, events)))
    run = lossboard.open(tmp_path)["."].stored
    points = Points.of(run, "a")
    assert [int(points.steps[index]) for index in restarts(run, "a", points)] == restarted_at
    assert [part.steps.tolist() for part in earlier_attempts(run, "a")] == superseded
