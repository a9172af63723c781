"""Slices and statistics of tensors."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from lossboard.errors import UsageError
from lossboard.kinds.tensors.slices import Slice, parse_window, reduce_grid, statistics, texts_of

ARRAY = np.arange(2 * 3 * 4).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("shape", "index", "wanted"),
    [
        ((2, 3, 4), None, ARRAY[0]),
        ((2, 3, 4), [1, None, None], ARRAY[1]),
        ((2, 3, 4), [None, 2, None], ARRAY[:, 2]),
        ((2, 3, 4), [1, None, 3], ARRAY[1, :, 3:]),
        ((2, 3, 4), [1, 2, 3], [[23]]),
        ((24,), None, ARRAY.reshape(24, 1)),
    ],
)
def test_grid_has_the_axes_without_a_position(shape: tuple[int, ...], index: object, wanted: object) -> None:
    np.testing.assert_array_equal(Slice.parse(shape, index).grid(ARRAY.reshape(shape)), wanted)


def test_number_and_empty_tensors_are_grids_too() -> None:
    assert Slice.parse((), None).grid(np.array(5)).tolist() == [[5]]
    assert Slice.parse((0, 3), None).grid(np.zeros((0, 3))).shape == (0, 0)
    assert Slice.parse((5, 0, 3), None).grid(np.zeros((5, 0, 3))).shape == (0, 0)


@pytest.mark.parametrize(
    "index", [[0, 0], [0, 3, None], [-1, None, None], [None, None, None], [0.5, None, None], "x", [True, None, None]]
)
def test_invalid_index_raises(index: object) -> None:
    with pytest.raises(UsageError, match='"index"'):
        Slice.parse((2, 3, 4), index)


def test_cells_of_a_reduced_grid_are_means() -> None:
    grid = np.arange(70, dtype=np.float32).reshape(10, 7)
    reduced = reduce_grid(grid, 5, 7)
    np.testing.assert_allclose(reduced, grid.reshape(5, 2, 7).mean(axis=1))
    assert reduce_grid(grid, 3, 2).shape == (3, 2)
    np.testing.assert_array_equal(reduce_grid(grid, 10, 7), grid)


def test_reduced_grid_shows_where_a_number_is_not_finite() -> None:
    grid = np.zeros((8, 8))
    grid[5, 2] = np.nan
    assert np.argwhere(np.isnan(reduce_grid(grid, 4, 4))).tolist() == [[2, 1]]


def test_window_is_cut_to_the_grid() -> None:
    assert parse_window(None, (3, 4)) == (0, 3, 0, 4)
    assert parse_window([1, 9, 0, 2], (3, 4)) == (1, 3, 0, 2)
    assert parse_window([5, 9, 5, 9], (3, 4)) == (3, 3, 4, 4)


@pytest.mark.parametrize("window", [[-1, 4, 0, 1], [2, 1, 0, 1], [0, 1], "x", [0.5, 1, 0, 1]])
def test_invalid_window_raises(window: object) -> None:
    with pytest.raises(UsageError, match='"window"'):
        parse_window(window, (3, 4))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.bool_, np.uint64, np.complex64])
def test_statistics_equal_numpys(dtype: type[np.generic]) -> None:
    values = np.random.default_rng(0).normal(0, 20, 500).astype(dtype)
    found = statistics(values)
    real = np.abs(values).astype(np.float64) if dtype is np.complex64 else values.astype(np.float64)
    for name in ("min", "max", "mean", "std"):
        assert found[name] == pytest.approx(getattr(real, name)())
    assert found["zeros"] == np.count_nonzero(real == 0)
    assert sum(found["counts"]) == found["elements"] == 500


def test_statistics_leave_out_what_is_not_finite() -> None:
    found = statistics(np.array([1.0, np.nan, np.inf, 3.0]))
    assert (found["non_finite"], found["min"], found["max"], found["mean"]) == (2, 1, 3, 2)
    assert statistics(np.array([np.nan]))["mean"] is None
    assert statistics(np.zeros(0))["counts"] == []
    assert statistics(np.array([-1e308, 1e308]))["std"] == pytest.approx(1e308)
    assert statistics(np.full(3, 7))["counts"][0] == 3


def test_texts_that_are_not_utf8_have_replacement_characters() -> None:
    assert texts_of([b"a", b"\xff"], (2, 1)).tolist() == [["a"], ["\ufffd"]]


def test_statistics_of_bytes_take_no_memory_for_each_number() -> None:
    values = np.ones(16 << 20, np.int8)
    tracemalloc.start()
    try:
        statistics(values)
        reduce_grid(values.reshape(4096, 4096), 64, 64)
        assert tracemalloc.get_traced_memory()[1] < 32 << 20  # real numbers take 128 MB
    finally:
        tracemalloc.stop()
