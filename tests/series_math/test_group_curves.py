"""Lines and bands of groups of runs, held against NumPy, SciPy and published formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from lossboard.errors import UsageError
from lossboard.series_math.group_curves import Band, Center, group_curve
from lossboard.series_math.points import Points
from lossboard.series_math.student_t import t_quantile_95

ALL = [
    ("mean", "t"), ("mean", "sd"), ("mean", "se"), ("mean", "bootstrap"), ("mean", "minmax"), ("mean", "quartiles"),
    ("median", "quartiles"), ("median", "bootstrap"), ("iqm", "bootstrap"), ("iqm", "minmax"),
]  # fmt: skip


def points(steps: list[int], values: list[float]) -> Points:
    return Points(np.array(steps, np.int64), np.arange(len(steps), dtype=np.float64), np.array(values, np.float64))


def random_runs(count: int, *, seed: int = 0, size: int = 50) -> list[Points]:
    rng = np.random.default_rng(seed)
    return [
        points(sorted(rng.choice(200, size, replace=False).tolist()), rng.normal(size=size).tolist())
        for _ in range(count)
    ]


def on_steps(runs: list[Points], steps: np.ndarray) -> list[np.ndarray]:
    """Returns the finite values at each step, interpolated by NumPy within each run."""
    columns = [np.interp(steps, run.steps, run.values, left=np.nan, right=np.nan) for run in runs]
    matrix = np.stack(columns, axis=1)
    return [row[np.isfinite(row)] for row in matrix]


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 9, 30, 99, 199, 200, 201, 1000, 100_000])
def test_t_quantiles_equal_those_of_scipy(freedom: int) -> None:
    assert t_quantile_95(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-10)


@pytest.mark.parametrize("count", [2, 3, 5, 8, 20])
def test_statistics_on_ragged_steps_equal_those_of_scipy(count: int) -> None:
    runs = random_runs(count)
    steps = np.unique(np.concatenate([run.steps for run in runs]))
    rows = on_steps(runs, steps)
    mean = group_curve(runs)
    assert mean.steps.tolist() == steps.tolist()
    assert mean.n.tolist() == [len(row) for row in rows]
    np.testing.assert_allclose(mean.center, [row.mean() for row in rows])
    median, iqm = group_curve(runs, center="median"), group_curve(runs, center="iqm", band="none")
    np.testing.assert_allclose(median.center, [np.median(row) for row in rows])
    np.testing.assert_allclose(median.low, [np.quantile(row, 0.25) for row in rows])
    np.testing.assert_allclose(median.high, [np.quantile(row, 0.75) for row in rows])
    np.testing.assert_allclose(iqm.center, [stats.trim_mean(row, 0.25) for row in rows], atol=1e-12)
    extremes = group_curve(runs, band="minmax")
    np.testing.assert_allclose(extremes.low, [row.min() for row in rows])
    np.testing.assert_allclose(extremes.high, [row.max() for row in rows])
    several = [i for i, row in enumerate(rows) if len(row) > 1]
    for band, half in {
        "sd": lambda row: row.std(ddof=1),
        "se": lambda row: stats.sem(row),
        "t": lambda row: stats.t.ppf(0.975, len(row) - 1) * stats.sem(row),
    }.items():
        curve = group_curve(runs, band=band)  # type: ignore[arg-type]
        np.testing.assert_allclose((curve.high - curve.low)[several] / 2, [half(rows[i]) for i in several])
        assert np.isnan(np.delete(curve.low, several)).all(), "one run has no spread"


@pytest.mark.parametrize("center", ["mean", "median", "iqm"])
def test_bootstrap_is_close_to_that_of_scipy(center: Center) -> None:
    values = np.random.default_rng(3).normal(size=30)
    curve = group_curve([points([0], [value]) for value in values], center=center, band="bootstrap")
    statistic = {"mean": np.mean, "median": np.median, "iqm": lambda x, axis: stats.trim_mean(x, 0.25, axis=axis)}[
        center
    ]
    expected = stats.bootstrap(
        (values,), statistic, method="percentile", n_resamples=20_000, rng=np.random.default_rng(5)
    ).confidence_interval
    assert curve.low[0] == pytest.approx(expected.low, abs=0.08)
    assert curve.high[0] == pytest.approx(expected.high, abs=0.08)


@pytest.mark.parametrize(("center", "band"), ALL)
def test_identical_runs_give_the_same_curve_and_a_zero_band(center: Center, band: Band) -> None:
    run = points([0, 3, 7, 100], [0.1, 1 / 3, 1e9 + 0.1, -1e-7])
    curve = group_curve([run] * 7, center=center, band=band)
    assert curve.steps.tolist() == [0, 3, 7, 100]
    for line in (curve.center, curve.low, curve.high):
        assert line.tolist() == run.values.tolist()
    assert curve.n.tolist() == [7] * 4


@pytest.mark.parametrize(("center", "band"), ALL)
def test_one_run_is_its_own_curve(center: Center, band: Band) -> None:
    run = points([0, 5], [1.5, 2.5])
    curve = group_curve([run], center=center, band=band)
    assert curve.center.tolist() == [1.5, 2.5]
    if band in ("minmax", "quartiles"):
        assert curve.low.tolist() == curve.high.tolist() == [1.5, 2.5]
    else:
        assert np.isnan(curve.low).all() and np.isnan(curve.high).all()


def test_runs_are_interpolated_between_their_points_and_not_beyond() -> None:
    curve = group_curve([points([0, 10], [0, 10]), points([4, 6], [100, 100])], band="none")
    assert curve.steps.tolist() == [0, 4, 6, 10]
    assert curve.center.tolist() == [0, 52, 53, 10]
    assert curve.n.tolist() == [1, 2, 2, 1]


def test_diverged_runs_are_left_out_and_counted() -> None:
    good, bad = points([0, 1, 2, 3], [1, 1, 1, 1]), points([0, 2, 3], [3, math.nan, math.inf])
    curve = group_curve([good, bad], band="sd")
    assert curve.center.tolist() == [2, 1, 1, 1]
    assert curve.n.tolist() == [2, 1, 1, 1]
    assert curve.non_finite.tolist() == [0, 1, 1, 1]


def test_group_without_any_finite_value_has_no_curve() -> None:
    curve = group_curve([points([0], [math.nan]), points([], [])])
    assert curve.steps.tolist() == [0]
    assert math.isnan(curve.center[0]) and math.isnan(curve.low[0])
    assert (curve.n[0], curve.non_finite[0]) == (0, 1)
    assert len(group_curve([]).steps) == 0


def test_fewer_steps_have_the_same_values() -> None:
    runs = random_runs(6)
    whole, some = group_curve(runs), group_curve(runs, max_steps=20)
    assert len(some.steps) == 20
    assert (some.steps[0], some.steps[-1]) == (whole.steps[0], whole.steps[-1])
    at = np.searchsorted(whole.steps, some.steps)
    np.testing.assert_array_equal(some.center, whole.center[at])
    np.testing.assert_array_equal(some.high, whole.high[at])


def test_core_and_numpy_agree_on_long_runs_with_different_steps() -> None:
    rng = np.random.default_rng(1)
    runs = []
    for number in range(12):
        values = rng.normal(size=700)
        values[rng.choice(700, 40, replace=False)] = rng.choice([math.nan, math.inf, -math.inf], 40)
        first = number * 50
        runs.append(points(list(range(first, first + 700 * (number + 1), number + 1)), values.tolist()))
    runs += [points([], []), points([-(2**63)], [1.0]), points([2**63 - 1], [2.0])]
    core, numpy = group_curve(runs, band="sd"), group_curve(runs, band="none")
    assert len(core.steps) > 2000
    np.testing.assert_allclose(core.center, numpy.center, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(core.n, numpy.n)
    np.testing.assert_array_equal(core.non_finite, numpy.non_finite)


def test_large_groups_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = random_runs(9)
    whole = group_curve(runs, band="bootstrap")
    monkeypatch.setattr("lossboard.series_math.group_curves._CELLS_AT_ONCE", 100)
    parts = group_curve(runs, band="bootstrap")
    np.testing.assert_allclose(parts.center, whole.center, rtol=1e-12)
    np.testing.assert_allclose(parts.low, whole.low, rtol=1e-9)


def test_impossible_choices_are_refused() -> None:
    with pytest.raises(UsageError, match="belongs to the mean"):
        group_curve([], center="median", band="t")
    with pytest.raises(UsageError, match="one of mean, median, iqm"):
        group_curve([], center="mode")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="one of t, sd"):
        group_curve([], band="wide")  # type: ignore[arg-type]
