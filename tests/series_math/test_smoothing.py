"""Smoothing: TensorBoard's numbers for its method, and what any average must keep for the others."""

import math

import numpy as np
import pytest

from lossboard.bounded_cache import BoundedCache
from lossboard.errors import UsageError
from lossboard.series_math.smoothing import Smoothing, SmoothingCache
from reference import tensorboard_ema

SERIES = {
    "one point": [3.0],
    "flat": [0.1] * 50,
    "noise": list(np.random.default_rng(0).normal(size=5000)),
    "gaps": [math.nan, 1.0, math.inf, 2.0, -math.inf, math.nan, 5.0],
    "all nan": [math.nan] * 4,
    "huge": [1e300, -1e300, 1e300],
    "empty": [],
}


@pytest.mark.parametrize("weight", [0.1, 0.6, 0.9, 0.999])
@pytest.mark.parametrize("name", [name for name in SERIES if name != "empty"])
def test_ema_gives_tensorboards_numbers(name, weight):
    got = Smoothing("ema", weight).apply(np.array(SERIES[name]))
    np.testing.assert_array_equal(got, tensorboard_ema(SERIES[name], weight))


@pytest.mark.parametrize("method", ["gaussian", "mean", "ema"])
class TestAnyAverage:
    def test_keeps_a_flat_line_flat(self, method):
        np.testing.assert_allclose(Smoothing(method, 0.9).apply(np.full(300, 2.5)), 2.5, rtol=1e-12)

    def test_passes_odd_values_through_and_skips_them(self, method):
        got = Smoothing(method, 0.5).apply(np.array(SERIES["gaps"]))
        assert [math.isfinite(value) for value in got] == [math.isfinite(value) for value in SERIES["gaps"]]

    def test_takes_nothing_and_gives_nothing(self, method):
        assert len(Smoothing(method, 0.9).apply(np.array([]))) == 0

    def test_averages_as_many_points_as_the_weight_says(self, method):
        noise = np.random.default_rng(1).normal(size=200_000)
        weight = 0.9
        steadier = noise.var() / Smoothing(method, weight).apply(noise)[1000:-1000].var()
        assert steadier == pytest.approx(Smoothing(method, weight).window_points, rel=0.15)


def test_running_mean_is_the_mean_of_its_window():
    values = np.random.default_rng(2).normal(size=60)
    got = Smoothing("mean", 0.6).apply(values)  # 4 points: two to each side of the point itself
    for i in range(60):
        assert got[i] == pytest.approx(values[max(0, i - 2) : i + 3].mean())


def test_a_spike_leaves_no_trace_behind_the_window():
    values = np.ones(500)
    values[100] = 1e18
    assert Smoothing("mean", 0.6).apply(values)[110] == 1.0


def test_gaussian_is_close_to_a_true_one():
    impulse = np.zeros(2001)
    impulse[1000] = 1
    got = Smoothing("gaussian", 0.98).apply(impulse)
    sigma = Smoothing("gaussian", 0.98).window_points / math.sqrt(12)
    true = np.exp(-((np.arange(2001) - 1000) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
    assert abs(got - true).max() < 0.06 * true.max()


@pytest.mark.parametrize(
    "question", [{"method": "magic"}, {"method": "ema", "weight": 1}, {"method": "ema", "weight": "x"}, 7]
)
def test_a_wrong_question_is_answered_in_words(question):
    with pytest.raises(UsageError, match="Expected"):
        Smoothing.parse(question)


class Column:
    def __init__(self, values):
        self.values = np.array(values, dtype=float)
        self.wall_times = np.arange(len(self.values), dtype=float)

    def __len__(self):
        return len(self.values)


def test_smoothed_columns_are_kept_and_dropped_by_size():
    kept = SmoothingCache(BoundedCache(180))
    column = Column([1, 2, 3])
    smoothing = Smoothing("ema", 0.6)
    first = kept.get("run", "tag", column, smoothing)
    assert kept.get("run", "tag", column, smoothing) is first
    kept.get("run", "other", Column(range(20)), smoothing)
    assert kept.get("run", "tag", column, smoothing) is not first


def test_a_grown_column_is_smoothed_anew():
    kept = SmoothingCache(BoundedCache(1000))
    smoothing = Smoothing("ema", 0.6)
    kept.get("run", "tag", Column([1, 2, 3]), smoothing)
    assert len(kept.get("run", "tag", Column([1, 2, 3, 4]), smoothing)) == 4
