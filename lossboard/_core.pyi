"""The contract of the native core. Every function takes numpy arrays as they are and runs without the GIL."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

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

def x_extent(lines: list[Line]) -> tuple[float, float]:
    """The least and greatest x of all lines; (inf, -inf) if there is none."""

def density(
    lines: list[Line], x_lo: float, x_hi: float, width: int, height: int, y_lo: float, y_hi: float, log: bool
) -> tuple[float, float, NDArray[np.uint16]]:
    """How many smoothed lines pass through each cell, row-major from the top; NaN for y chooses a range."""

# ---- writing ---------------------------------------------------------------------------------------------
class EventWriter:
    """Events into an append-only file of `folder`, one write(2) each. Only `open` raises for the world's faults
    (OSError); mistakes of the program raise TypeError or ValueError and write nothing. A call that returns True says
    that there was a fault at some time: see `fault`, `waiting`, `lost`."""

    def __init__(
        self, folder: str, suffix: str, as_scalar: Callable[[object], float], as_step: Callable[[object], int]
    ) -> None: ...
    def open(self) -> None:
        """Left out, the first event opens the file."""
    def scalar(self, tag: str, value: object, step: object, wall_time: float | None) -> bool: ...
    def scalars(self, values: dict[str, object], step: object, wall_time: float | None) -> bool: ...
    def summary(self, values: list[bytes], step: object, wall_time: float | None) -> bool: ...
    def event(self, field: int, message: bytes, step: object, wall_time: float | None) -> bool:
        """An Event with one bytes field: see lossboard/events/summary.py for the numbers."""
    def flush(self) -> bool:
        """To the disk itself; False if something is still in memory only."""
    def close(self, finished: bool) -> None:
        """Ends the file, if finished with a SessionLog STOP. A later call opens another file."""
    @property
    def path(self) -> str: ...
    @property
    def fault(self) -> str: ...
    @property
    def waiting(self) -> int: ...
    @property
    def lost(self) -> int: ...

class ScalarLogger:
    """The base of SummaryWriter. Calls that are not the usual ones go to its method `_add_scalar`; after a fault
    `_report_error` is called."""

    def __init__(self, file: EventWriter) -> None: ...
    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
        *,
        display_name: str = "",
        summary_description: str = "",
    ) -> None:
        """One point of a curve. `double_precision` counts only with `new_style`, as in torch."""

def bin_edges() -> NDArray[np.float64]:
    """The edges of the default histogram bins: 0 and ±1e-12 · 1.1^k below 1e20."""

def bin_counts(
    values: NDArray[np.float32] | NDArray[np.float64],
) -> tuple[NDArray[np.int64], float, float, float, float]:
    """How many values lie in each of those bins, the least, the greatest, the sum and the sum of squares."""

# ---- the store -------------------------------------------------------------------------------------------
def crc32c(data: bytes) -> int: ...
def crc32c_portable(data: bytes) -> int: ...

Row = TypeVar("Row")

class Points:
    def __len__(self) -> int: ...
    @property
    def steps(self) -> NDArray[np.int64]: ...
    @property
    def wall_times(self) -> NDArray[np.float64]: ...
    @property
    def values(self) -> NDArray[np.float64]: ...
    @property
    def hidden(self) -> NDArray[np.bool_]: ...
    def read(self, index: int, max_bytes: int = ...) -> bytes: ...

class Run:
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    def summary(self) -> tuple[float | None, float | None, int, int, int, int, int, int, int]:
        """start, last, changed, bytes, tags, points, blobs, skipped records, skipped bytes"""
    @property
    def is_finished(self) -> bool: ...
    def places(self) -> list[tuple[str, int, int, str]]:
        """file, offset, bytes, why"""
    def index(self, make: Callable[[str, str, int, int, int | None, int | None, int], Row]) -> Iterator[Row]:
        """Of plugin, tag, count, hidden, first step, last step, changed; by tag"""
    def has(self, plugin: str, tag: str) -> bool: ...
    def points(self, plugin: str, tag: str) -> Points | None: ...
    def attempts(self, plugin: str, tag: str) -> Points | None: ...
    def metadata(self, tag: str) -> bytes: ...

class Logdir:
    def __init__(self, roots: list[tuple[bytes, bytes]]) -> None:
        """Each root is a path and the name that goes before those of its runs."""
    def poll(self) -> tuple[int, list[Run], list[tuple[str, float | None]], list[str]]:
        """cursor, added, name and start of those that grew (the added ones too), names of removed"""
    def progress(self) -> tuple[int, int]:
        """Bytes that the poll under way has read and will have read."""
    def total(self) -> tuple[int, int, int, int, int, int, int]:
        """runs, tags, points, blobs, bytes, skipped records, skipped bytes"""
