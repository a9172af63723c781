"""Contract of the native core. Functions read NumPy arrays without a copy and release the GIL."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Line = tuple[NDArray[np.int64] | NDArray[np.float64], float, NDArray[np.float64], NDArray[np.float64]]
"""x (steps or real numbers), offset to subtract from real x, values, smoothed values."""
Mark = tuple[int, float, Literal["nan", "inf", "-inf"], int]
"""Index of the first such point in its cell, its x, its kind, and the number of such points in the cell."""

# ---- smoothing: non-finite values are returned unchanged --------------------------------------------------
def ema(values: NDArray[np.float64], weight: float) -> NDArray[np.float64]: ...
def is_noisy(values: NDArray[np.float64], fraction: float) -> bool:
    """Returns whether more than this fraction of the values are local minima or maxima."""

def running_mean(values: NDArray[np.float64], radius: int) -> NDArray[np.float64]: ...
def gaussian(values: NDArray[np.float64], sigma: float) -> NDArray[np.float64]: ...

# ---- groups of runs --------------------------------------------------------------------------------------
def group_mean(
    steps: NDArray[np.int64], runs: list[tuple[NDArray[np.int64], NDArray[np.float64]]]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Returns mean, standard deviation (n - 1), number of finite values and number of other values at each step.

    Steps increase strictly. Between two points, a run has the value on the straight line between them.
    """

# ---- sampling --------------------------------------------------------------------------------------------
class SampledLines:
    """Lines sampled on one grid. Each array of cells holds one line after the other; NaN is a gap."""

    @property
    def exact(self) -> bool:
        """Whether every point is on the grid."""
    @property
    def x_min(self) -> float:
        """The minimum x in the requested range; infinite without points."""
    @property
    def x_max(self) -> float: ...
    @property
    def x(self) -> NDArray[np.float64]:
        """The grid."""
    @property
    def value(self) -> NDArray[np.float32]:
        """The last value in each cell."""
    @property
    def smoothed(self) -> NDArray[np.float32]:
        """The smoothed value of that point."""
    @property
    def minimum(self) -> NDArray[np.float32]: ...
    @property
    def maximum(self) -> NDArray[np.float32]: ...
    @property
    def points(self) -> NDArray[np.int64]:
        """Number of points of each line in the requested range."""
    @property
    def drawn(self) -> NDArray[np.int64]:
        """Number of cells of each line that hold points."""
    @property
    def marks(self) -> list[list[Mark]]: ...

def sample_lines(lines: list[Line], lo: float, hi: float, cells: int) -> SampledLines:
    """Samples all lines on one grid of at most `cells` cells. `lo` and `hi` may be infinite."""

def x_extent(lines: list[Line]) -> tuple[float, float]:
    """Returns the minimum and maximum x of all lines; (inf, -inf) without points."""

def line_extremes(
    lines: list[Line], lo: float, hi: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Returns for each line the indexes of its minimum, its maximum and its first non-finite value in a range of x.

    An index is -1 if there is none.
    """

def density(
    lines: list[Line], x_lo: float, x_hi: float, width: int, height: int, y_lo: float, y_hi: float, log: bool
) -> tuple[float, float, NDArray[np.uint16], NDArray[np.float32], NDArray[np.float32]]:
    """Counts how many smoothed lines pass through each cell, row by row from the top.

    Returns the y range, the counts, and the minimum and maximum of the raw values in each column. NaN for y chooses a
    range.
    """

# ---- projections of embeddings ---------------------------------------------------------------------------
class ProjectionCancelled(Exception):
    """Raised by a projection whose progress was cancelled."""

class Progress:
    """Connects a running projection with the threads that watch it."""

    def __init__(self) -> None: ...
    def cancel(self) -> None: ...
    @property
    def is_cancelled(self) -> bool: ...
    @property
    def fraction(self) -> float:
        """The done part of the current function, from 0 to 1."""
    @property
    def stage(self) -> str: ...
    def layout(self) -> tuple[int, NDArray[np.float32]] | None:
        """Returns the newest complete layout with its number, from 1. None before the first."""

class Pca:
    @property
    def mean(self) -> NDArray[np.float64]: ...
    @property
    def components(self) -> NDArray[np.float32]:
        """Unit vectors, one per row, by decreasing variance. The largest number of each is positive."""
    @property
    def variances(self) -> NDArray[np.float64]: ...
    @property
    def total_variance(self) -> float: ...
    def transform(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns the coordinates of rows along the components."""

def pca(rows: NDArray[np.float32], components: int, progress: Progress) -> Pca:
    """Fits principal components. All numbers must be finite, as in all functions below."""

def neighbors(
    rows: NDArray[np.float32], k: int, *, exact: bool, seed: int, progress: Progress
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Returns the k nearest other rows of each row, nearest first, and their squared distances."""

def distances(rows: NDArray[np.float32], vector: NDArray[np.float32], *, cosine: bool) -> NDArray[np.float32]:
    """Returns the Euclidean or the cosine distance of each row to a vector."""

def umap(
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
    start: NDArray[np.float32],
    *,
    epochs: list[int],
    min_dist: float,
    seed: int,
    progress: Progress,
) -> NDArray[np.float32]:
    """Lays out rows with these neighbors in the 2 or 3 dimensions of `start`. Each number of epochs is a whole annealed
    schedule, which starts from the layout before it and publishes its result."""

def tsne(
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
    start: NDArray[np.float32],
    *,
    perplexity: float,
    learning_rate: float,
    exaggerated_iterations: int,
    iterations: int,
    progress: Progress,
) -> NDArray[np.float32]:
    """Lays out rows with these neighbors in the 2 or 3 dimensions of `start`. A learning rate of 0 stands for one that
    suits the number of rows. Without exaggerated iterations, `start` is taken as a layout."""

def place_rows(
    placed: NDArray[np.float32],
    layout: NDArray[np.float32],
    rows: NDArray[np.float32],
    *,
    seed: int,
    progress: Progress,
) -> NDArray[np.float32]:
    """Returns a position for each row: the weighted mean of its nearest placed rows in their layout."""

def layout_quality(
    rows: NDArray[np.float32], layout: NDArray[np.float32], *, k: int, samples: int, seed: int
) -> tuple[float, float]:
    """Returns trustworthiness and recall of the k nearest neighbors in a layout, measured on some of the rows."""

# ---- writing ---------------------------------------------------------------------------------------------
class EventWriter:
    """Writes events to an append-only file in `folder`, with one write(2) each.

    Only `open` raises after an I/O error (OSError). Invalid arguments raise TypeError or ValueError and write nothing.
    A call that logs returns whether there ever was an I/O error: see `fault`, `waiting` and `lost`.
    """

    def __init__(
        self, folder: str, suffix: str, as_scalar: Callable[[object], float], as_step: Callable[[object], int]
    ) -> None: ...
    def open(self) -> None:
        """Opens the file. Without it, the first event does."""
    def scalar(self, tag: str, value: object, step: object, wall_time: float | None) -> bool: ...
    def scalars(self, values: dict[str, object], step: object, wall_time: float | None) -> bool: ...
    def summary(self, values: list[bytes], step: object, wall_time: float | None) -> bool: ...
    def event(self, field: int, message: bytes, step: object, wall_time: float | None) -> bool:
        """Writes an Event with one bytes field, 1 to 15. lossboard/events/summary.py has the numbers."""
    def flush(self) -> bool:
        """Syncs the file to disk. Returns False if a record is only in memory."""
    def close(self, finished: bool) -> None:
        """Closes the file, with a SessionLog STOP if finished. A later call opens another file."""
    @property
    def path(self) -> str: ...
    @property
    def fault(self) -> str: ...
    @property
    def waiting(self) -> int: ...
    @property
    def lost(self) -> int: ...

class ScalarLogger:
    """Base of SummaryWriter. Unusual calls of `add_scalar` go to its method `_add_scalar`, and all of them after
    `__init__(None)`, until it gets a file again. After an I/O error, `_report_error` is called."""

    def __init__(self, file: EventWriter | None) -> None: ...
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
        """Logs one point of a series. `double_precision` has an effect only with `new_style`, as in torch."""

def bin_edges() -> NDArray[np.float64]:
    """Returns the edges of the default histogram bins: 0 and ±1e-12 · 1.1^k below 1e20."""

class BinCounts:
    """Number of values in each bin, and their moments. One NaN makes the moments NaN."""

    @property
    def counts(self) -> NDArray[np.int64]: ...
    @property
    def minimum(self) -> float: ...
    @property
    def maximum(self) -> float: ...
    @property
    def sum(self) -> float: ...
    @property
    def sum_squares(self) -> float: ...

def bin_counts(values: NDArray[np.float32] | NDArray[np.float64]) -> BinCounts:
    """Counts the values in the default histogram bins."""

# ---- the store -------------------------------------------------------------------------------------------
def crc32c(data: bytes) -> int: ...
def crc32c_portable(data: bytes) -> int: ...
def find_header(data: bytes) -> int:
    """Returns the offset of the first valid header of a TFRecord, or where one may begin that is cut by the end."""

Row = TypeVar("Row")

class Index(Generic[Row]):
    """Iterator over the series of a run."""

    def __iter__(self) -> Iterator[Row]: ...
    def __next__(self) -> Row: ...

class Counts:
    """Sizes of a run, or of all runs of a logdir."""

    @property
    def tags(self) -> int: ...
    @property
    def points(self) -> int: ...
    @property
    def blobs(self) -> int: ...
    @property
    def bytes(self) -> int:
        """Size of the event files."""
    @property
    def skipped_records(self) -> int: ...
    @property
    def skipped_bytes(self) -> int: ...

class RunSummary(Counts):
    @property
    def start(self) -> float | None:
        """Wall time of the first event, or of the first point if that is earlier."""
    @property
    def last(self) -> float | None:
        """The newest wall time of a point."""
    @property
    def last_event(self) -> float | None:
        """The newest wall time, also of an event without data, such as the header of a file."""
    @property
    def changed_at(self) -> int:
        """The cursor when anything of the run last changed."""

class LogdirTotals(Counts):
    @property
    def runs(self) -> int: ...

class Place:
    """Location of a corrupt record."""

    @property
    def file(self) -> str: ...
    @property
    def offset(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def why(self) -> str: ...

class Asset:
    """A file next to event files."""

    @property
    def name(self) -> str:
        """Its path, relative to the folder of the run."""
    @property
    def bytes(self) -> int: ...
    @property
    def modified_ns(self) -> int: ...
    @property
    def changed_at(self) -> int:
        """The cursor when it was found or last changed."""

class ChangedRun:
    @property
    def name(self) -> str: ...
    @property
    def start(self) -> float | None: ...

class PollResult:
    @property
    def cursor(self) -> int: ...
    @property
    def added(self) -> list[Run]: ...
    @property
    def changed(self) -> list[ChangedRun]:
        """Runs that changed, including the added ones."""
    @property
    def removed(self) -> list[str]:
        """Names of runs that are gone."""

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
    def summary(self) -> RunSummary: ...
    @property
    def is_finished(self) -> bool: ...
    def files(self) -> list[str]:
        """Names of the event files, sorted."""
    def places(self) -> list[Place]: ...
    def notes(self) -> list[Place]:
        """Files that end inside a record or are not event files. Neither is corruption."""
    @property
    def assets_changed_at(self) -> int:
        """The cursor when an asset was last added, changed or removed; 0 if the run never had any."""
    def assets(self) -> list[Asset]:
        """Sorted by name."""
    def invalidate_asset(self, name: bytes) -> None:
        """Makes the next poll take an asset for changed. Call it only in the thread that polls."""
    def index(self, make: Callable[[str, str, int, int, int | None, int | None, float | None, int], Row]) -> Index[Row]:
        """Calls `make` with the fields of store.run.SeriesInfo for each series, ordered by tag."""
    def has(self, plugin: str, tag: str) -> bool: ...
    def points(self, plugin: str, tag: str) -> Points | None: ...
    def attempts(self, plugin: str, tag: str) -> Points | None: ...
    def metadata(self, tag: str) -> bytes: ...

class Root:
    """A folder to search for runs, or one event file. `name` is the prefix of their names."""

    def __init__(self, path: bytes, name: bytes) -> None: ...

class Logdir:
    def __init__(self, roots: list[Root], asset_suffixes: list[bytes]) -> None:
        """A file whose name ends with one of `asset_suffixes` is an asset, unless it is an event file."""
    def poll(self) -> PollResult:
        """Finds runs that were added or removed and reads what is new, on all cores.

        Reports everything that changed since the last `acknowledge`. The first poll reads everything. Later
        ones search at most 64 MB of a file for the record after a corrupt one, and continue with the next poll.
        """
    def acknowledge(self) -> None:
        """Call this when the result of the last poll is stored, so that no failure before loses news."""
    def progress(self) -> tuple[int, int]:
        """Returns the bytes that the current poll has read, and all that it will read."""
    def totals(self) -> LogdirTotals: ...

class ScalarStats:
    """Statistics of one scalar tag, a row for each run of the last update. Minimum, maximum and mean are over the
    finite values, and NaN if there are none. An update reads only the points that are new. Not thread-safe."""

    def __init__(self, tag: str) -> None: ...
    def update(self, runs: list[Run]) -> None: ...
    def value_at(self, step: int) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """The value of the last point at or before a step, and whether there is one: a run must reach the step."""
    @property
    def count(self) -> NDArray[np.int64]:
        """Number of points; 0 if a run does not have the tag."""
    @property
    def finite(self) -> NDArray[np.int64]:
        """Number of points whose value is finite."""
    @property
    def first(self) -> NDArray[np.float64]: ...
    @property
    def last(self) -> NDArray[np.float64]: ...
    @property
    def last_step(self) -> NDArray[np.int64]: ...
    @property
    def minimum(self) -> NDArray[np.float64]: ...
    @property
    def maximum(self) -> NDArray[np.float64]: ...
    @property
    def mean(self) -> NDArray[np.float64]: ...
    @property
    def step_of_minimum(self) -> NDArray[np.int64]:
        """The first step at which the minimum was logged."""
    @property
    def step_of_maximum(self) -> NDArray[np.int64]: ...
