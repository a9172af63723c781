"""Slices of tensors: two axes of any tensor as a grid that a page can draw, and its statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError, UsageError
from lossboard.events.tensors import Array
from lossboard.kinds.cancellation import check_cancelled

Floats = npt.NDArray[np.float64]
Window = tuple[int, int, int, int]
_BINS = 32
_PART_ELEMENTS = 1 << 18


@dataclass(frozen=True)
class Slice:
    """Two axes of a tensor, and a position on each other axis. A vector is a single column, a number a single cell."""

    shape: tuple[int, ...]
    index: tuple[int | None, ...]
    """None on the axes of the grid: its rows, then its columns."""

    @classmethod
    def parse(cls, shape: tuple[int, ...], index: object) -> Slice:
        """Checks an index. The default is the first matrix of the last two axes."""
        if index is None:
            return cls(shape, tuple(0 if axis < len(shape) - 2 else None for axis in range(len(shape))))
        if not isinstance(index, list) or len(index) != len(shape):
            raise UsageError(f'Expected "index" to be a list of {len(shape)} positions, for the shape {list(shape)}.')
        for position, size in zip(index, shape, strict=True):
            is_position = isinstance(position, int) and not isinstance(position, bool) and 0 <= position < size
            if position is not None and not is_position:
                raise UsageError(f'Expected the positions of "index" to be null, or below the sizes {list(shape)}.')
        if index.count(None) > 2:
            raise UsageError('Expected "index" to be null for at most two axes.')
        return cls(shape, tuple(index))

    @property
    def axes(self) -> list[int]:
        return [axis for axis, position in enumerate(self.index) if position is None]

    def grid(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Returns the elements as a matrix."""
        if 0 in self.shape:  # no position is valid
            return np.zeros((0, 0), array.dtype)
        part = array[tuple(slice(None) if position is None else position for position in self.index)]
        return np.asarray(part).reshape(part.shape[0] if part.ndim else 1, -1)


def real_numbers(array: Array) -> Floats:
    """Returns numbers to draw: the absolute values of complex ones."""
    with np.errstate(all="ignore"):
        return np.abs(array).astype(np.float64) if array.dtype.kind == "c" else array.astype(np.float64)


def reduce_grid(grid: Array, rows: int, columns: int) -> Floats:
    """Returns a grid of at most that size. Each cell of a larger one is the mean of its block."""
    reduced = grid
    limits = (rows, columns)
    for axis in sorted((0, 1), key=lambda axis: -grid.shape[axis]):  # so that little is left after the first
        size, limit = grid.shape[axis], limits[axis]
        if size > limit:
            edges = np.linspace(0, size, limit + 1).astype(np.int64).tolist()
            reduced = np.stack([_mean(reduced, axis, *band) for band in pairwise(edges)], axis=axis)
    return real_numbers(reduced)


def _mean(grid: Array, axis: int, start: int, end: int) -> Floats:
    check_cancelled()
    band = grid[start:end] if axis == 0 else grid[:, start:end]
    with np.errstate(all="ignore"):
        numbers = np.abs(band) if band.dtype.kind == "c" else band
        mean: Floats = numbers.sum(axis=axis, dtype=np.float64) / (end - start)  # without a copy as real numbers
    return mean


def parse_window(value: object, size: tuple[int, int]) -> Window:
    """Returns the part of a grid of that size within `[top, bottom, left, right]`, or all of it."""
    rows, columns = size
    match value:
        case None:
            return 0, rows, 0, columns
        case [int(top), int(bottom), int(left), int(right)] if 0 <= top <= bottom and 0 <= left <= right:
            # Cut to the grid, because a step may have another shape than the newest one.
            return min(top, rows), min(bottom, rows), min(left, columns), min(right, columns)
    raise UsageError('Expected "window" to be [top, bottom, left, right], each from 0.')


def statistics(array: Array) -> Mapping[str, Any]:
    """Returns statistics of the finite numbers, and how many are not finite. Without any, they are None."""
    flat = array.reshape(-1)
    count = zeros = 0
    lo, hi = math.inf, -math.inf
    for finite in _finite_parts(flat):
        count, zeros = count + finite.size, zeros + int(np.count_nonzero(finite == 0))
        lo, hi = min(lo, float(finite.min())), max(hi, float(finite.max()))
    found: dict[str, Any] = {"elements": flat.size, "non_finite": flat.size - count, "zeros": zeros}
    if not count:
        return found | {"min": None, "max": None, "mean": None, "std": None, "counts": []}
    # Scaled, so that the squares of large numbers do not overflow.
    scale = max(abs(lo), abs(hi)) or 1.0
    mean = sum(float((finite / scale).sum()) for finite in _finite_parts(flat)) / count
    squares, counts = 0.0, np.zeros(_BINS, np.int64)
    with np.errstate(all="ignore"):
        width = (hi / scale - lo / scale) / _BINS or 1.0
        for finite in _finite_parts(flat):
            scaled = finite / scale
            squares += float(np.square(scaled - mean).sum())
            bins = np.clip(((scaled - lo / scale) / width).astype(np.int64), 0, _BINS - 1)
            counts += np.bincount(bins, minlength=_BINS)
    return found | {
        "min": lo,
        "max": hi,
        "mean": mean * scale,
        "std": math.sqrt(squares / count) * scale,
        "counts": counts.tolist(),
    }


def _finite_parts(flat: Array) -> Iterator[Floats]:
    """Yields the finite numbers in parts, because real numbers may take eight times as much memory as the tensor."""
    for start in range(0, flat.size, _PART_ELEMENTS):
        check_cancelled()
        part = real_numbers(flat[start : start + _PART_ELEMENTS])
        finite = part[np.isfinite(part)]
        if finite.size:
            yield finite


def texts_of(elements: list[bytes], shape: tuple[int, ...]) -> npt.NDArray[np.object_]:
    """Returns the texts of a string tensor. Bytes that are not UTF-8 become replacement characters."""
    texts = np.empty(len(elements), object)
    texts[:] = [element.decode("utf-8", "replace") for element in elements]
    try:
        return texts.reshape(shape)
    except ValueError as error:
        raise DecodeError(f"The shape {list(shape)} is not valid: {error}") from None
