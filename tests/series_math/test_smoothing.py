"""Smoothing: TensorBoard's numbers for EMA, and properties of all methods."""

import math

import numpy as np
import pytest

from lossboard.bounded_cache import BoundedCache
from lossboard.errors import UsageError
from lossboard.series_math.smoothing import METHODS, NONE, Smoothing, SmoothingCache, is_noisy, window_points
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
def test_ema_equals_tensorboards(name, weight):
    got = Smoothing("ema", weight).apply(np.array(SERIES[name]))
    np.testing.assert_array_equal(got, tensorboard_ema(SERIES[name], weight))


@pytest.mark.parametrize("method", [name for name in METHODS if name != NONE])
class TestEachMethod:
    def test_constant_series_is_unchanged(self, method):
        np.testing.assert_allclose(Smoothing(method, 0.9).apply(np.full(300, 2.5)), 2.5, rtol=1e-12)

    def test_non_finite_values_are_kept_and_do_not_spread(self, method):
        got = Smoothing(method, 0.5).apply(np.array(SERIES["gaps"]))
        assert [math.isfinite(value) for value in got] == [math.isfinite(value) for value in SERIES["gaps"]]

    def test_empty_series_stays_empty(self, method):
        assert len(Smoothing(method, 0.9).apply(np.array([]))) == 0

    def test_noise_is_reduced_by_the_width_of_the_window(self, method):
        noise = np.random.default_rng(1).normal(size=200_000)
        weight = 0.9
        reduction = noise.var() / Smoothing(method, weight).apply(noise)[1000:-1000].var()
        assert reduction == pytest.approx(window_points(weight), rel=0.15)


def test_running_mean_equals_the_mean_of_its_window():
    values = np.random.default_rng(2).normal(size=60)
    got = Smoothing("mean", 0.6).apply(values)  # 4 points: two on each side
    for i in range(60):
        assert got[i] == pytest.approx(values[max(0, i - 2) : i + 3].mean())


def test_running_mean_after_a_spike_is_exact():
    values = np.ones(500)
    values[100] = 1e18
    assert Smoothing("mean", 0.6).apply(values)[110] == 1.0


def test_gaussian_approximates_the_exact_filter():
    impulse = np.zeros(2001)
    impulse[1000] = 1
    got = Smoothing("gaussian", 0.98).apply(impulse)
    sigma = window_points(0.98) / math.sqrt(12)
    exact = np.exp(-((np.arange(2001) - 1000) ** 2) / (2 * sigma**2)) / (sigma * math.sqrt(2 * math.pi))
    assert abs(got - exact).max() < 0.06 * exact.max()


STEPS = np.arange(400)
NOISE = np.random.default_rng(3).normal(size=400)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("noise", NOISE, True),
        ("a noisy loss", np.exp(-STEPS / 60) + 0.05 * NOISE, True),
        ("noise between gaps", np.where(STEPS % 3, NOISE, math.nan), True),
        ("a short series", NOISE[:49], False),
        ("a linear schedule with warmup", np.minimum(STEPS / 40, (400 - STEPS) / 360), False),
        ("a cosine schedule with restarts", np.cos(STEPS % 100 / 100 * math.pi), False),
        ("a step schedule", 0.1 ** (STEPS // 100), False),
        ("a constant", np.full(400, 3e-5), False),
        ("rare spikes", np.where(STEPS % 50, 0.7, 1.9), False),
        ("nothing finite", np.full(400, math.nan), False),
        ("an empty series", NOISE[:0], False),
    ],
)
def test_only_long_series_with_many_turning_points_are_noisy(name, values, expected):
    assert is_noisy(values) is expected


def test_only_noisy_leaves_other_series_unchanged():
    smoothing = Smoothing.parse({"method": "ema", "weight": 0.9, "only_noisy": True})
    rate = np.linspace(1, 0, 400)
    assert smoothing.apply(rate) is rate
    np.testing.assert_array_equal(smoothing.apply(NOISE), Smoothing("ema", 0.9).apply(NOISE))


@pytest.mark.parametrize(
    "param", [{"method": "magic"}, {"method": "ema", "weight": 1}, {"method": "ema", "weight": "x"}, 7]
)
def test_invalid_parameter_raises_usage_error(param):
    with pytest.raises(UsageError, match="Expected"):
        Smoothing.parse(param)


class Column:
    def __init__(self, values):
        self.values = np.array(values, dtype=float)
        self.wall_times = np.arange(len(self.values), dtype=float)

    def __len__(self):
        return len(self.values)


def test_cache_drops_series_at_its_size_limit():
    cache = SmoothingCache(BoundedCache(8000))
    column = Column(range(300))
    smoothing = Smoothing("ema", 0.6)
    first = cache.get("run", "tag", column, smoothing)
    assert cache.get("run", "tag", column, smoothing) is first
    cache.get("run", "other", Column(range(500)), smoothing)
    assert cache.get("run", "tag", column, smoothing) is not first


def test_cache_does_not_hold_series_that_are_not_smoothed():
    stored = BoundedCache(1000)
    cache = SmoothingCache(stored)
    smoothing = Smoothing("ema", 0.6, only_noisy=True)
    for length in range(2, 40):
        column = Column(range(length))
        assert cache.get("run", "tag", column, smoothing) is column.values
        assert cache.get("run", "tag", column, smoothing) is column.values
    assert len(stored) <= 3


def test_cache_recomputes_a_grown_series():
    cache = SmoothingCache(BoundedCache(10_000))
    smoothing = Smoothing("ema", 0.6)
    cache.get("run", "tag", Column(range(300)), smoothing)
    assert len(cache.get("run", "tag", Column(range(301)), smoothing)) == 301
