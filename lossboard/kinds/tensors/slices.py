"""Slices of tensors: two axes of any tensor as a grid that a page can draw, and its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError, UsageError
from lossboard.events.tensors import Array

Floats = npt.NDArray[np.float64]
Window = tuple[int, int, int, int]
_BINS = 32


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
    for axis, limit in enumerate((rows, columns)):
        size = reduced.shape[axis]
        if size > limit:
            starts = np.linspace(0, size, limit + 1).astype(np.int64)
            sums = np.add.reduceat(real_numbers(reduced), starts[:-1], axis=axis)
            widths = np.diff(starts).astype(np.float64)
            reduced = sums / (widths[:, None] if axis == 0 else widths)
    return real_numbers(reduced)


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
    values = real_numbers(array).ravel()
    finite = values[np.isfinite(values)]
    found: dict[str, Any] = {
        "elements": values.size,
        "non_finite": values.size - finite.size,
        "zeros": int(np.count_nonzero(finite == 0)),
        "min": None,
        "max": None,
        "mean": None,
        "std": None,
        "counts": [],
    }
    if not finite.size:
        return found
    lo, hi = float(finite.min()), float(finite.max())
    with np.errstate(all="ignore"):
        # Scaled, so that the squares of large numbers do not overflow.
        scale = max(abs(lo), abs(hi)) or 1.0
        scaled = finite / scale
        found |= {"min": lo, "max": hi, "mean": float(scaled.mean()) * scale, "std": float(scaled.std()) * scale}
        positions = (scaled - lo / scale) * (_BINS / ((hi / scale - lo / scale) or 1.0))
    bins = np.clip(positions.astype(np.int64), 0, _BINS - 1)
    return found | {"counts": np.bincount(bins, minlength=_BINS).tolist()}


def texts_of(elements: list[bytes], shape: tuple[int, ...]) -> npt.NDArray[np.object_]:
    """Returns the texts of a string tensor. Bytes that are not UTF-8 become replacement characters."""
    texts = np.empty(len(elements), object)
    texts[:] = [element.decode("utf-8", "replace") for element in elements]
    try:
        return texts.reshape(shape)
    except ValueError as error:
        raise DecodeError(f"The shape {list(shape)} is not valid: {error}") from None
