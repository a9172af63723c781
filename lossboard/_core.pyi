"""The contract of the native core. Every function takes numpy arrays as they are and runs without the GIL."""

import numpy as np
from numpy.typing import NDArray

Line = tuple[NDArray[np.int64] | NDArray[np.float64], float, NDArray[np.float64], NDArray[np.float64]]
"""x (steps, or reals), what to take from real x, values, smoothed values."""
Mark = tuple[int, float, str, int]
"""Index of the first such point in its cell, its x, "nan" | "inf" | "-inf", how many in that cell."""

# ---- smoothing: values that are not finite come through untouched ----------------------------------------
def ema(values: NDArray[np.float64], weight: float) -> NDArray[np.float64]: ...
def running_mean(values: NDArray[np.float64], radius: int) -> NDArray[np.float64]: ...
def gaussian(values: NDArray[np.float64], sigma: float) -> NDArray[np.float64]: ...

# ---- sampling --------------------------------------------------------------------------------------------
def sample_lines(
    lines: list[Line], lo: float, hi: float, cells: int
) -> tuple[
    bool,  # exact
    float,  # least and greatest x within lo … hi
    float,
    NDArray[np.float64],  # the grid
    NDArray[np.float32],  # for each line and cell: last value, its smoothed value, least, greatest; NaN is a gap
    NDArray[np.float32],
    NDArray[np.float32],
    NDArray[np.float32],
    NDArray[np.int64],  # for each line: points within lo … hi, cells that have some
    NDArray[np.int64],
    list[list[Mark]],
]:
    """All lines on one grid of at most `cells`; lo and hi may be infinite."""

def density(
    lines: list[Line], x_lo: float, x_hi: float, width: int, height: int, y_lo: float, y_hi: float, log: bool
) -> tuple[float, float, NDArray[np.uint16]]:
    """How many smoothed lines pass through each cell, row-major from the top; NaN for y chooses a range."""
