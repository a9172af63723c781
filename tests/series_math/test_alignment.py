"""Lines on one grid: exact if they fit, otherwise with minimum and maximum."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lossboard import _core
from lossboard.series_math.alignment import cells_for, sample_to_grid


def line(x, values=None, offset=0.0):
    x = np.asarray(x)
    x = x.astype(np.int64) if x.dtype.kind == "i" else x.astype(np.float64)
    values = np.asarray(x if values is None else values, dtype=np.float64)
    return (x, offset, values, values)


def cells(grid, column, i):
    return getattr(grid, column)[i * len(grid.x) : (i + 1) * len(grid.x)]


def test_lines_that_fit_are_exact():
    grid = sample_to_grid([line([0, 2, 4], [1, 2, 3]), line([1, 2, 9], [4, 5, 6])], x_range=None, cells=10)
    assert grid.exact
    assert grid.x.tolist() == [0, 1, 2, 4, 9]
    nan = math.nan
    np.testing.assert_array_equal(cells(grid, "value", 0), [1, nan, 2, 3, nan])
    np.testing.assert_array_equal(cells(grid, "value", 1), [nan, 4, 5, nan, 6])
    assert grid.x_range == (0, 9)


def test_spike_of_one_step_is_kept_in_a_million_points():
    values = np.zeros(1_000_000)
    values[654_321] = 1e6
    grid = sample_to_grid([line(np.arange(1_000_000), values)], x_range=None, cells=500)
    assert not grid.exact
    assert len(grid.x) == 500
    assert grid.maximum.max() == 1e6
    assert grid.x[grid.maximum.argmax()] == pytest.approx(654_321, abs=1000)
    assert grid.points.tolist() == [1_000_000]


def test_zoomed_range_is_exact_and_includes_the_nearest_outside_points():
    grid = sample_to_grid([line(np.arange(0, 1000, 10))], x_range=(95, 125), cells=500)
    assert grid.exact
    assert grid.x.tolist() == [90, 100, 110, 120, 130]
    assert grid.points.tolist() == [3]


def test_range_between_two_points_contains_both():
    grid = sample_to_grid([line([0, 1000], [1, 2])], x_range=(400, 600), cells=100)
    assert grid.x.tolist() == [0, 1000]
    assert grid.points.tolist() == [0]


def test_non_finite_values_become_marks():
    values = np.ones(1000)
    values[[10, 11, 500]] = math.nan
    values[600] = math.inf
    values[601] = -math.inf
    grid = sample_to_grid([line(np.arange(1000), values)], x_range=None, cells=100)
    assert grid.marks[0] == [
        (10, 10.0, "nan", 2),
        (500, 500.0, "nan", 1),
        (600, 600.0, "inf", 1),
        (601, 601.0, "-inf", 1),
    ]
    assert np.isfinite(grid.maximum).all()


def test_decreasing_x_keeps_all_points():
    x = np.array([0.0, 5.0, 3.0, 5.0, 9.0])
    grid = sample_to_grid([line(x, [1, 2, 3, 4, 5])], x_range=None, cells=50)
    assert grid.x.tolist() == [0, 3, 5, 9]
    assert not grid.exact, "two points share an x"
    assert grid.minimum.tolist() == [1, 3, 2, 5]
    assert grid.maximum.tolist() == [1, 3, 4, 5]
    assert grid.value.tolist() == [1, 3, 4, 5]


def test_points_without_x_are_omitted():
    grid = sample_to_grid([line(np.array([math.nan, 1.0, 2.0]), [7, 8, 9])], x_range=None, cells=50)
    assert grid.x.tolist() == [1, 2]


def test_values_beyond_float32_are_clipped():
    grid = sample_to_grid([line([0], [1e300])], x_range=None, cells=5)
    assert grid.value[0] == np.finfo(np.float32).max


def test_missing_and_empty_lines_give_an_empty_grid():
    assert len(sample_to_grid([], x_range=None, cells=5).x) == 0
    assert sample_to_grid([line(np.array([], dtype=np.int64))], x_range=None, cells=5).points.tolist() == [0]


def test_arrays_of_different_length_raise():
    short = np.zeros(2)
    with pytest.raises(ValueError, match="equally long"):
        _core.sample_lines([(np.arange(3), 0.0, short, short)], 0, 1, 5)


series = st.lists(st.tuples(st.integers(-1000, 1000), st.floats(-1e6, 1e6)), min_size=1, max_size=200)


@given(st.lists(series, min_size=1, max_size=4), st.integers(1, 60))
def test_sampling_keeps_last_minimum_and_maximum(many, limit):
    lines = [line(np.array([x for x, _ in points]), [y for _, y in points]) for points in many]
    grid = sample_to_grid(lines, x_range=None, cells=limit)
    assert len(grid.x) <= limit
    assert (np.diff(grid.x) >= 0).all()
    for i, points in enumerate(many):
        values = np.array([y for _, y in points], dtype=np.float32)
        assert np.nanmin(cells(grid, "minimum", i)) == values.min()
        assert np.nanmax(cells(grid, "maximum", i)) == values.max()
        assert grid.points[i] == len(points)
        assert points[-1][1] == pytest.approx(float(values[-1]), rel=1e-6)
        assert values[-1] in cells(grid, "value", i)


@pytest.mark.parametrize(
    ("lines", "width", "expected"), [(1, 340, 680), (12, 340, 680), (24, 340, 341), (60, 340, 170), (0, 100, 200)]
)
def test_many_lines_get_fewer_cells(lines, width, expected):
    assert cells_for(lines, width) == expected


class TestDensity:
    def image(self, lines, **kwargs):
        options = {"x_lo": 0, "x_hi": 10, "width": 10, "height": 4, "y_lo": 0, "y_hi": 4, "log": False} | kwargs
        lo, hi, counts, *_ = _core.density(lines, *options.values())
        return lo, hi, counts.reshape(options["height"], options["width"])

    def test_each_line_counts_once_per_cell(self):
        flat = [line(np.arange(11), np.full(11, 0.5)) for _ in range(3)]
        _, _, image = self.image(flat)
        assert image[3].tolist() == [3] * 10
        assert image[:3].sum() == 0

    def test_steep_line_fills_all_cells_it_crosses(self):
        _, _, image = self.image([line([0, 5, 6, 10], [0.5, 0.5, 3.5, 3.5])])
        assert image[:, 5].tolist() == [1, 1, 1, 1]

    def test_distant_points_are_connected(self):
        _, _, image = self.image([line([0, 10], [0, 4])])
        assert (image.sum(axis=0) >= 1).all()

    def test_lines_outside_are_not_drawn_at_the_edge(self):
        _, _, image = self.image([line([0, 10], [9, 9]), line([-20, -10], [1, 1])])
        assert image.sum() == 0

    def test_default_range_ignores_outliers(self):
        lines = [line([0, 10], [1, 2]) for _ in range(99)] + [line([0, 10], [-1e9, 1e9])]
        lo, hi, _ = self.image(lines, y_lo=math.nan, y_hi=math.nan)
        assert (lo, hi) == (1, 2)

    def test_log_scale_omits_values_that_are_not_positive(self):
        lo, hi, image = self.image([line([0, 5, 10], [1e-4, -1, 1])], y_lo=math.nan, y_hi=math.nan, log=True)
        assert (lo, hi) == pytest.approx((1e-4, 1))
        assert image.sum() > 0

    def test_constant_line_has_a_range(self):
        lo, hi, image = self.image([line([0, 10], [3, 3])], y_lo=math.nan, y_hi=math.nan)
        assert lo < 3 < hi
        assert image.sum() == 10

    @pytest.mark.parametrize(("log", "lowest"), [(False, -7), (True, 6)])
    def test_extremes_are_those_of_the_raw_values(self, log, lowest):
        values = np.array([1.0, 90.0, -7.0, 2.0])
        smooth = (np.array([0.0, 1.0, 1.0, 3.0]), 0.0, values, np.ones(4))
        lo, hi = _core.density([smooth, line([0, 1], [5, 6])], 0, 4, 4, 4, 0, 4, log)[3:]
        nan = math.nan
        np.testing.assert_array_equal(lo, np.float32([1, lowest, nan, 2]))
        np.testing.assert_array_equal(hi, np.float32([5, 90, nan, 2]))
