"""Packing of attention maps: one byte per weight, compressed for each head on its own.

A byte holds 255 · √weight, rounded. A linear byte would round 0.0005 to zero; this one does not, and its error is below
0.004 everywhere. Rows are scaled to a sum of 1 when they are read, which halves the error of their entropy.
"""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.kinds.attention.weights import Weights

Bytes = npt.NDArray[np.uint8]

FULL_SCALE = 255.0
THUMBNAIL = 64
"""Queries and keys of a thumbnail, at most."""
MAX_BYTES = 1 << 28
_LEVEL = 1


def to_bytes(weights: Weights) -> Bytes:
    return np.rint(np.float32(FULL_SCALE) * np.sqrt(weights)).astype(np.uint8)


def from_bytes(packed: Bytes) -> Weights:
    """Returns weights whose rows add up to 1. A row without weight stays 0."""
    roots: Weights = np.divide(packed, FULL_SCALE, dtype=np.float32)
    weights = roots * roots
    sums = weights.sum(-1, keepdims=True)
    np.divide(weights, sums, out=weights, where=sums > 0)
    return weights


def compress(values: Bytes) -> bytes:
    return zlib.compress(np.ascontiguousarray(values).tobytes(), _LEVEL)


def decompress(packed: bytes | memoryview, shape: tuple[int, ...], what: str) -> Bytes:
    size = 1
    for length in shape:
        size *= length
    if not 0 < size <= MAX_BYTES:
        raise DecodeError(f"{what} claims {size:,} weights. The limit is {MAX_BYTES:,}.")
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, size + 1)
    except zlib.error as error:
        raise DecodeError(f"{what} cannot be unpacked: {error}") from None
    if len(raw) != size:
        raise DecodeError(
            f"{what} has {'more than ' if len(raw) > size else ''}{min(len(raw), size):,} weights, expected {size:,}."
        )
    return np.frombuffer(raw, np.uint8).reshape(shape)


def thumbnail_shape(queries: int, keys: int) -> tuple[int, int]:
    return min(queries, THUMBNAIL), min(keys, THUMBNAIL)


def thumbnails(maps: Bytes) -> Bytes:
    """Returns heads × rows × columns: the largest weight of each cell, because a diagonal vanishes in a mean."""
    rows, columns = thumbnail_shape(*maps.shape[1:])
    if (rows, columns) == maps.shape[1:]:
        return maps
    by_row = np.maximum.reduceat(maps, _starts(maps.shape[1], rows), axis=1)
    return np.maximum.reduceat(by_row, _starts(maps.shape[2], columns), axis=2)


def _starts(length: int, cells: int) -> npt.NDArray[np.intp]:
    """Returns where each cell starts."""
    return np.arange(cells) * length // cells
