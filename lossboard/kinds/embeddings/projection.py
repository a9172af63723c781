"""A projection of embeddings to two or three dimensions, computed in a background job.

All sources of a request share one picture. PCA has one basis, fitted to all of them together. UMAP and t-SNE lay out
the steps of a tag one after the other: each starts from the layout of the step before it and is then rotated onto it.
A layout can be shown before all is done: first the PCA that a method starts from, then each complete schedule.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from lossboard import _core
from lossboard.errors import DecodeError
from lossboard.kinds.embeddings.alignment import rotate_onto
from lossboard.kinds.embeddings.sources import Matrix, Source, Vectors

Method: TypeAlias = Literal["pca", "umap", "tsne", "custom"]
Rows: TypeAlias = "npt.NDArray[np.intp]"

MAX_PROJECTED = 50_000
"""More rows are projected by a sample, and the rest is placed by its neighbors."""
SAMPLED = 20_000
MAX_TSNE_3D = 5000
"""In three dimensions t-SNE compares all pairs in each iteration, so it projects no more rows."""
EXACT_NEIGHBORS = 20_000
"""Up to so many rows, comparing all pairs is as fast as searching."""
COMPONENTS = 10
UMAP_SCHEDULES = [30, 120, 500]
UMAP_LARGE_SCHEDULES = [30, 200]
LARGE = 10_000
UMAP_PREVIEW = [30]
UMAP_FOLLOWING = [200]
TSNE_EXAGGERATED, TSNE_ITERATIONS, TSNE_FOLLOWING = 250, 500, 750


@dataclass(frozen=True)
class Axis:
    """A direction between the means of two sets of rows of the first source."""

    start: tuple[int, ...]
    end: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Parameters of a projection, checked."""

    method: Method
    dimensions: int = 2
    components: tuple[int, ...] = (0, 1)
    """Of a PCA: which components are the axes, from 0."""
    spherize: bool = False
    """Shift rows by their mean and scale them to length 1."""
    cosine: bool = False
    """Compare directions only."""
    neighbors: int = 15
    min_dist: float = 0.1
    perplexity: float = 30.0
    learning_rate: float = 0.0
    seed: int = 0
    axes: tuple[Axis, ...] = ()


@dataclass(frozen=True)
class Frame:
    """The layouts of all sources so far. A source without a layout is None, a row without a position is NaN."""

    version: int
    layouts: list[Matrix | None]


@dataclass
class Projection:
    """The work of a job: computes in one thread, while others watch."""

    sources: Sequence[Source]
    vectors: Sequence[Vectors]
    options: Options
    explained: list[float] = field(default_factory=list)
    """Of a PCA: the share of the variance that each of the first components holds."""
    notes: list[str] = field(default_factory=list)
    """Sentences about rows and columns that were left out, and about limits of the picture."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()
        self._layouts: list[Matrix | None] = [None] * len(self.vectors)
        self._version = 0
        self._progress = _core.Progress()
        self._stage, self._share, self._done = "", 0.0, 0.0
        self._current: tuple[int, Rows] | None = None
        self._kept = [_kept_rows(self.sources, self.vectors, i) for i in range(len(self.vectors))]

    @property
    def id(self) -> str:
        """Names the content: equal data and equal options have an equal id."""
        content = [(source.run, source.tag, source.step, vectors.content_hash) for source, vectors in self._pairs()]
        text = json.dumps([content, asdict(self.options)], sort_keys=True)
        return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()

    @property
    def size_bytes(self) -> int:
        return sum(layout.nbytes for layout in self._layouts if layout is not None)

    @property
    def stage(self) -> str:
        return self._stage

    @property
    def fraction(self) -> float:
        return min(1.0, self._done + self._share * self._progress.fraction)

    def cancel(self) -> None:
        with self._lock:
            self._progress.cancel()

    def frame(self) -> Frame:
        """Returns the newest layouts that are better than those before."""
        with self._lock:
            layouts, version = list(self._layouts), self._version
            current, published = self._current, self._progress.layout() if self._current else None
        if current and published:
            source, rows = current
            layouts[source] = self._spread(source, rows, published[1])
            version += published[0]
        return Frame(version, layouts)

    def run(self) -> None:
        finite = [_take(vectors.rows, kept) for vectors, kept in zip(self.vectors, self._kept, strict=True)]
        self._describe_data(finite)
        prepared = [_prepare(rows, self.options) for rows in finite]
        match self.options.method:
            case "custom":
                self._project_custom(prepared)
            case "pca":
                self._project_pca(prepared)
            case "umap" | "tsne":
                self._lay_out_all(prepared)
        self._done, self._share = 1.0, 0.0

    # ---- linear ----------------------------------------------------------------------------------------
    def _project_pca(self, prepared: list[Matrix]) -> None:
        wanted = max(COMPONENTS, max(self.options.components) + 1)
        fitted = self._fit(prepared, wanted, share=1.0)
        missing = max(0, max(self.options.components) + 1 - len(fitted.variances))
        if missing:
            self.notes.append(f"There are only {len(fitted.variances)} components. Further axes are empty.")
        for i, rows in enumerate(prepared):
            self._publish(i, np.pad(fitted.transform(rows), ((0, 0), (0, missing)))[:, list(self.options.components)])

    def _fit(self, prepared: list[Matrix], components: int, *, share: float) -> _core.Pca:
        pooled = _pool(prepared, self.options.seed)
        if len(pooled) < 2:
            raise DecodeError("A projection needs at least two rows of finite numbers.")
        fitted = _core.pca(pooled, components, self._begin("pca", share))
        total = fitted.total_variance
        self.explained = (fitted.variances / total if total > 0 else fitted.variances * 0).tolist()
        if total == 0:
            self.notes.append("All rows are equal.")
        return fitted

    def _project_custom(self, prepared: list[Matrix]) -> None:
        rows = self.vectors[0].rows
        directions = []
        for axis in self.options.axes:
            start, end = (_mean_of(rows, chosen, self.vectors[0].finite) for chosen in (axis.start, axis.end))
            length = float(np.linalg.norm(end - start))
            if length == 0:
                raise DecodeError("The two ends of an axis have the same mean. Choose other rows.")
            directions.append((end - start) / length)
        center = _pool(prepared, self.options.seed).mean(0, dtype=np.float64)
        basis = np.array(directions).T
        for i, one in enumerate(prepared):
            self._publish(i, ((one - center) @ basis).astype(np.float32))

    # ---- neighbors -------------------------------------------------------------------------------------
    def _lay_out_all(self, prepared: list[Matrix]) -> None:
        dimensions = self.options.dimensions
        fitted = self._fit(prepared, max(COMPONENTS, dimensions), share=0.02)
        starts = [fitted.transform(rows)[:, :dimensions] for rows in prepared]
        starts = [np.pad(start, ((0, 0), (0, dimensions - start.shape[1]))) for start in starts]
        for i, start in enumerate(starts):
            self._publish(i, start)  # until there is something better
        share = 0.98 / len(prepared)
        for i, rows in enumerate(prepared):
            before = self._previous(i)
            start = starts[i] if before is None else before
            layout = self._lay_out(i, rows, start, follows=before is not None, share=share)
            self._publish(i, layout if before is None else rotate_onto(layout, before))

    def _previous(self, i: int) -> Matrix | None:
        """Returns the layout of the step before a source, if both have the same rows."""
        for j in range(i - 1, -1, -1):
            if _same_series(self.sources[i], self.sources[j]):
                layout = self._layouts[j]
                same = np.array_equal(self._kept[i], self._kept[j])
                return layout[self._kept[j]] if same and layout is not None else None
        return None

    def _lay_out(self, source: int, rows: Matrix, start: Matrix, *, follows: bool, share: float) -> Matrix:
        sample = _sample(len(rows), self.options)
        if sample is None:
            return self._optimize(source, rows, start, np.arange(len(rows)), follows=follows, share=share)
        self._note_once(
            f"{len(rows) - len(sample):,} of {len(rows):,} rows are placed by their neighbors among {len(sample):,} "
            "projected rows."
        )
        chosen = np.ascontiguousarray(rows[sample])
        layout = self._optimize(source, chosen, start[sample], sample, follows=follows, share=0.6 * share)
        rest = np.setdiff1d(np.arange(len(rows)), sample)
        progress = self._begin("place", 0.4 * share)
        placed = np.empty((len(rows), layout.shape[1]), np.float32)
        placed[sample] = layout
        placed[rest] = _core.place_rows(
            chosen, layout, np.ascontiguousarray(rows[rest]), seed=self.options.seed, progress=progress
        )
        return placed

    def _optimize(
        self, source: int, rows: Matrix, start: Matrix, shown: Rows, *, follows: bool, share: float
    ) -> Matrix:
        options, start = self.options, np.ascontiguousarray(start, np.float32)
        is_tsne = options.method == "tsne"
        wanted = round(3 * options.perplexity) if is_tsne else options.neighbors
        k = min(wanted, len(rows) - 1)
        if k < 2:
            raise DecodeError("A projection needs at least three rows of finite numbers.")
        exact = len(rows) <= EXACT_NEIGHBORS
        progress = self._begin("neighbors", 0.2 * share)
        graph = _core.neighbors(rows, k, exact=exact, seed=options.seed, progress=progress)
        # Steps that follow are shown when they are complete: until then they would jump.
        current = None if follows else (source, self._kept[source][shown])
        if not is_tsne:
            first = UMAP_SCHEDULES if len(rows) <= LARGE else UMAP_LARGE_SCHEDULES
            return self._umap(graph, start, UMAP_FOLLOWING if follows else first, current, share=0.8 * share)
        if not follows:
            near = min(options.neighbors, k)
            nearest = np.ascontiguousarray(graph[0][:, :near]), np.ascontiguousarray(graph[1][:, :near])
            preview = self._umap(nearest, start, UMAP_PREVIEW, current, share=0.1 * share)
            self._publish_rows(source, self._kept[source][shown], rotate_onto(preview, start))
        return _core.tsne(
            *graph,
            start,
            perplexity=options.perplexity,
            learning_rate=options.learning_rate,
            exaggerated_iterations=0 if follows else TSNE_EXAGGERATED,
            iterations=TSNE_FOLLOWING if follows else TSNE_ITERATIONS,
            progress=self._begin("tsne", (0.8 if follows else 0.7) * share, current),
        )

    def _umap(
        self,
        graph: tuple[npt.NDArray[np.int32], Matrix],
        start: Matrix,
        epochs: list[int],
        current: tuple[int, Rows] | None,
        *,
        share: float,
    ) -> Matrix:
        progress = self._begin("umap", share, current)
        options = self.options
        return _core.umap(*graph, start, epochs=epochs, min_dist=options.min_dist, seed=options.seed, progress=progress)

    # ---- progress --------------------------------------------------------------------------------------
    def _begin(self, stage: str, share: float, current: tuple[int, Rows] | None = None) -> _core.Progress:
        """Starts a stage that is this share of all. `current` is the source and the rows whose layout it publishes."""
        with self._lock:
            if self._progress.is_cancelled:
                raise _core.ProjectionCancelled("The projection was cancelled.")
            if self._current and (published := self._progress.layout()):
                self._version += published[0]
            self._done += self._share
            self._stage, self._share, self._current = stage, share, current
            self._progress = _core.Progress()
            return self._progress

    def _publish(self, source: int, layout: Matrix) -> None:
        self._publish_rows(source, self._kept[source], layout)

    def _publish_rows(self, source: int, rows: Rows, layout: Matrix) -> None:
        spread = self._spread(source, rows, layout)
        with self._lock:
            if self._current and (published := self._progress.layout()):
                self._version += published[0]
            self._current = None
            self._layouts[source] = spread
            self._version += 1

    def _spread(self, source: int, rows: Rows, layout: Matrix) -> Matrix:
        """Returns a position for every row of a source, with those that were left out as NaN."""
        spread = np.full((len(self.vectors[source].rows), layout.shape[1]), np.nan, np.float32)
        spread[rows] = layout
        return spread

    # ---- notes -----------------------------------------------------------------------------------------
    def _describe_data(self, finite: list[Matrix]) -> None:
        widths = {rows.shape[1] for rows in finite}
        if len(widths) > 1:
            raise DecodeError(f"The chosen embeddings have different numbers of columns: {sorted(widths)}.")
        for (source, vectors), kept in zip(self._pairs(), self._kept, strict=True):
            dropped = len(vectors.rows) - len(kept)
            if dropped:
                self.notes.append(
                    f"Step {source.step}: {dropped:,} of {len(vectors.rows):,} rows are left out, because they or the "
                    "same rows of another step hold NaN or infinity."
                )
        constant = np.logical_and.reduce([_is_constant(rows) for rows in finite])
        if constant.any():
            self.notes.append(f"{int(constant.sum()):,} of {len(constant):,} columns are constant and have no effect.")

    def _note_once(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _pairs(self) -> zip[tuple[Source, Vectors]]:
        return zip(self.sources, self.vectors, strict=True)


def _same_series(a: Source, b: Source) -> bool:
    return (a.run, a.tag) == (b.run, b.tag)


def _kept_rows(sources: Sequence[Source], vectors: Sequence[Vectors], i: int) -> Rows:
    """Returns the rows that are finite in all steps of a source's series, so that steps stay comparable."""
    finite = vectors[i].finite
    for source, other in zip(sources, vectors, strict=True):
        if _same_series(source, sources[i]) and len(other.finite) == len(finite):
            finite = finite & other.finite
    return np.flatnonzero(finite)


def _take(rows: Matrix, kept: Rows) -> Matrix:
    return rows if len(kept) == len(rows) else rows[kept]


def _prepare(rows: Matrix, options: Options) -> Matrix:
    rows = np.ascontiguousarray(rows)
    if options.spherize and len(rows):
        rows = (rows - rows.mean(0, dtype=np.float64)).astype(np.float32)
    if options.spherize or (options.cosine and options.method in ("umap", "tsne")):
        lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
        rows = (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    return rows


def _pool(parts: list[Matrix], seed: int) -> Matrix:
    """Returns rows of all parts together, at most MAX_PROJECTED and the same share of each."""
    total = sum(map(len, parts))
    if total <= MAX_PROJECTED:
        return np.concatenate(parts) if len(parts) > 1 else parts[0]
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [part[np.sort(rng.choice(len(part), len(part) * MAX_PROJECTED // total, replace=False))] for part in parts]
    )


def _sample(rows: int, options: Options) -> Rows | None:
    """Returns the rows to project, or None if all can be."""
    is_slow = options.method == "tsne" and options.dimensions == 3
    limit, count = (MAX_TSNE_3D, MAX_TSNE_3D) if is_slow else (MAX_PROJECTED, SAMPLED)
    return np.sort(np.random.default_rng(options.seed).choice(rows, count, replace=False)) if rows > limit else None


def _mean_of(rows: Matrix, chosen: tuple[int, ...], finite: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    usable = [row for row in chosen if finite[row]]
    if not usable:
        raise DecodeError("An end of an axis has no rows of finite numbers. Choose other rows.")
    mean: npt.NDArray[np.float64] = rows[usable].mean(0, dtype=np.float64)
    return mean


def _is_constant(rows: Matrix) -> npt.NDArray[np.bool_]:
    if not len(rows):
        return np.zeros(rows.shape[1], bool)
    constant: npt.NDArray[np.bool_] = rows.max(0) == rows.min(0)
    return constant
