"""Ticks: the same positions and labels as in the charts of the board."""

from __future__ import annotations

import pytest

from lossboard.figures.ticks import linear_ticks, log_ticks


@pytest.mark.parametrize(
    ("low", "high", "wanted", "labels"),
    [
        (0, 1, 5, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (-0.5, 3.2, 4, ["0", "1", "2", "3"]),
        (-2, 2, 4, ["−2", "−1", "0", "1", "2"]),
        (0, 25_000, 5, ["0", "5000", "10000", "15000", "20000", "25000"]),
        (0, 400_000, 4, ["0", "100k", "200k", "300k", "400k"]),
        (0, 4e-5, 4, ["0", "1e-5", "2e-5", "3e-5", "4e-5"]),
        (
            100_000.5,
            100_001,
            5,
            [
                "100\u2009000.5",
                "100\u2009000.6",
                "100\u2009000.7",
                "100\u2009000.8",
                "100\u2009000.9",
                "100\u2009001.0",
            ],
        ),
        (7, 7, 4, ["7"]),
    ],
)
def test_linear_ticks_are_round(low: float, high: float, wanted: int, labels: list[str]) -> None:
    assert [label for _, label in linear_ticks(low, high, wanted)] == labels


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (1e-4, 1, ["1e-4", "0.001", "0.01", "0.1", "1"]),
        (0.02, 0.5, ["0.02", "0.03", "0.05", "0.1", "0.2", "0.3", "0.5"]),
        (1, 300, ["1", "3", "10", "30", "100", "300"]),
        (1, 1e6, ["1", "10", "100", "1000", "10k", "100k", "1M"]),
        (2, 4, ["2.0", "2.2", "2.4", "2.6", "2.8", "3.0", "3.2", "3.4", "3.6", "3.8", "4.0"]),
    ],
)
def test_log_ticks_are_powers_of_ten_with_steps_between(low: float, high: float, labels: list[str]) -> None:
    assert [label for _, label in log_ticks(low, high, 7)] == labels
