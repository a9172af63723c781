"""Projections of the native core against NumPy, and what they keep of the data."""

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from lossboard import _core

Floats = NDArray[np.float32]
UMAP = {"epochs": [30, 100], "min_dist": 0.1, "seed": 3}
TSNE = {"perplexity": 20.0, "learning_rate": 0.0, "exaggerated_iterations": 100, "iterations": 200}


def clusters(rows: int, columns: int = 24, groups: int = 6) -> tuple[Floats, NDArray[np.int64]]:
    """Groups of rows far from the origin, each a line with noise."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, groups, rows)
    along = rng.normal(size=(rows, 1)) * rng.normal(size=(groups, columns))[labels]
    centers = rng.normal(size=(groups, columns)) * 4 + 50
    return (centers[labels] + along + rng.normal(size=(rows, columns)) * 0.3).astype(np.float32), labels


def numpy_neighbors(rows: Floats, k: int) -> NDArray[np.int64]:
    exact = rows.astype(np.float64)
    squares = ((exact[:, None] - exact[None]) ** 2).sum(-1)
    np.fill_diagonal(squares, np.inf)
    return np.argsort(squares, axis=1, kind="stable")[:, :k]


def neighbors(rows: Floats, k: int, *, exact: bool = True) -> tuple[NDArray[np.int32], Floats]:
    return _core.neighbors(rows, k, exact=exact, seed=5, progress=_core.Progress())


def start_of(rows: Floats, dimensions: int = 2) -> Floats:
    return _core.pca(rows, dimensions, _core.Progress()).transform(rows)


def kept_labels(layout: Floats, labels: NDArray[np.int64]) -> float:
    """Share of the ten nearest rows in a layout that have the row's own label."""
    return float((labels[numpy_neighbors(layout, 10)] == labels[:, None]).mean())


# ---- PCA -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("rows", "columns"), [(500, 24), (700, 130), (30, 200), (300, 1)], ids=["small", "lanczos", "wide", "one column"]
)
def test_pca_equals_the_eigenvectors_of_the_covariance(rows: int, columns: int) -> None:
    data, _ = clusters(rows, columns)
    count = min(4, columns)
    found = _core.pca(data, count, _core.Progress())
    centered = data - data.mean(0, dtype=np.float64)
    values, vectors = np.linalg.eigh(centered.T @ centered / (rows - 1))
    np.testing.assert_allclose(found.variances, values[::-1][:count], rtol=1e-5)
    np.testing.assert_allclose(found.total_variance, values.sum(), rtol=1e-9)
    aligned = np.abs((found.components @ vectors[:, ::-1][:, :count]).diagonal())
    np.testing.assert_allclose(aligned, 1, atol=1e-4)
    np.testing.assert_allclose(found.transform(data), centered @ found.components.T, rtol=1e-3, atol=1e-3)


def test_pca_finds_every_one_of_equal_variances() -> None:
    found = _core.pca(np.concatenate([np.eye(5), -np.eye(5)]).astype(np.float32), 5, _core.Progress())
    np.testing.assert_allclose(found.variances, 2 / 9, rtol=1e-5)
    np.testing.assert_allclose(found.components @ found.components.T, np.eye(5), atol=1e-5)


def test_pca_of_constant_columns_has_no_variance() -> None:
    found = _core.pca(np.full((10, 3), 7, np.float32), 2, _core.Progress())
    assert found.total_variance == 0
    assert found.variances.tolist() == [0, 0]
    assert (found.transform(np.full((1, 3), 7, np.float32)) == 0).all()


# ---- neighbors -------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("rows", "k"), [(700, 15), (16, 15), (33, 1)])
def test_exact_neighbors_equal_numpys(rows: int, k: int) -> None:
    data, _ = clusters(rows)
    indices, squares = neighbors(data, k)
    np.testing.assert_array_equal(indices, numpy_neighbors(data, k))
    differences = data[:, None].astype(np.float64) - data[indices]
    np.testing.assert_allclose(squares, (differences**2).sum(-1), rtol=1e-3)


def test_equal_rows_are_at_distance_zero() -> None:
    data, _ = clusters(100)
    _, squares = neighbors(np.concatenate([data, data]), 1)
    assert (squares == 0).all()


def test_approximate_neighbors_are_mostly_the_true_ones() -> None:
    data, _ = clusters(3000)
    exact, _ = neighbors(data, 10)
    found, squares = neighbors(data, 10, exact=False)
    shared = np.mean([len(set(a) & set(b)) for a, b in zip(found, exact, strict=True)]) / 10
    assert shared > 0.95
    assert (np.diff(squares, axis=1) >= 0).all()
    assert (found != np.arange(len(data))[:, None]).all()


def test_approximate_neighbors_of_few_rows_are_complete() -> None:
    data, _ = clusters(60)
    found, _ = neighbors(data, 59, exact=False)
    assert [sorted(row) for row in found.tolist()] == [[i for i in range(60) if i != row] for row in range(60)]


@pytest.mark.parametrize("cosine", [True, False])
def test_distances_to_one_vector(cosine: bool) -> None:
    data, _ = clusters(50)
    vector = np.ascontiguousarray(data[7])
    exact = data.astype(np.float64)
    lengths = np.linalg.norm(exact, axis=1)
    wanted = 1 - exact @ exact[7] / lengths / lengths[7] if cosine else np.linalg.norm(exact - exact[7], axis=1)
    np.testing.assert_allclose(_core.distances(data, vector, cosine=cosine), wanted, atol=1e-5, rtol=1e-4)


# ---- layouts ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dimensions", [2, 3])
@pytest.mark.parametrize("method", ["umap", "tsne"])
def test_layouts_keep_labels_together(method: str, dimensions: int) -> None:
    data, labels = clusters(600)
    start = start_of(data, dimensions)
    progress = _core.Progress()
    if method == "umap":
        layout = _core.umap(*neighbors(data, 15), start, **UMAP, progress=progress)
    else:
        layout = _core.tsne(*neighbors(data, 60), start, **TSNE, progress=progress)
    assert layout.shape == (600, dimensions)
    assert kept_labels(layout, labels) > 0.97
    trust, recall = _core.layout_quality(data, layout, k=10, samples=600, seed=0)
    trust_before, recall_before = _core.layout_quality(data, start, k=10, samples=600, seed=0)
    assert trust > trust_before
    assert recall > recall_before
    assert progress.fraction == 1
    published = progress.layout()
    assert published is not None
    np.testing.assert_array_equal(published[1], layout)


def test_layouts_depend_on_nothing_but_input_and_seed() -> None:
    data, _ = clusters(2500)
    start = start_of(data)
    graphs = [neighbors(data, 30, exact=exact) for exact in (False, True) for _ in range(2)]
    np.testing.assert_array_equal(graphs[0][0], graphs[1][0])
    np.testing.assert_array_equal(graphs[2][0], graphs[3][0])
    for lay_out, options in ((_core.umap, {**UMAP, "epochs": [20]}), (_core.tsne, {**TSNE, "iterations": 10})):
        first, second = (lay_out(*graphs[2], start, **options, progress=_core.Progress()) for _ in range(2))
        np.testing.assert_array_equal(first, second)


def test_forces_on_a_grid_equal_those_between_pairs() -> None:
    """Above 1500 rows repulsion is computed on a grid: one step from the same layout goes the same way."""
    data, _ = clusters(1600)
    indices, squares = neighbors(data, 60)
    start = start_of(data)
    # The third coordinate is zero: in three dimensions all pairs are computed.
    flat = np.ascontiguousarray(np.column_stack([start, np.zeros(1600)]), np.float32)
    options = {**TSNE, "exaggerated_iterations": 0, "iterations": 1, "learning_rate": 500.0}
    on_grid = _core.tsne(indices, squares, start, **options, progress=_core.Progress()) - start
    in_pairs = _core.tsne(indices, squares, flat, **options, progress=_core.Progress())[:, :2] - start
    assert np.linalg.norm(on_grid - in_pairs) < 0.02 * np.linalg.norm(in_pairs)


def test_equal_rows_have_a_layout() -> None:
    same = np.ones((80, 5), np.float32)
    start = start_of(same)
    graph = neighbors(same, 10)
    for layout in (
        _core.umap(*graph, start, **UMAP, progress=_core.Progress()),
        _core.tsne(*graph, start, **TSNE, progress=_core.Progress()),
    ):
        assert np.isfinite(layout).all()


def test_rows_are_placed_near_their_neighbors() -> None:
    data, labels = clusters(2000)
    known, rest = data[:800], data[800:]
    layout = _core.umap(*neighbors(known, 15), start_of(known), **UMAP, progress=_core.Progress())
    placed = _core.place_rows(known, layout, rest, seed=0, progress=_core.Progress())
    assert kept_labels(np.concatenate([layout, placed]), labels) > 0.97


# ---- quality ---------------------------------------------------------------------------------------------
def test_quality_follows_its_formula() -> None:
    data, _ = clusters(120)
    layout = start_of(data)
    k, n = 8, len(data)
    full, flat = numpy_neighbors(data, n - 1), numpy_neighbors(layout, k)
    penalty = kept = 0
    for row in range(n):
        for other in flat[row]:
            rank = int(np.flatnonzero(full[row] == other)[0]) + 1
            penalty += max(0, rank - k)
            kept += rank <= k
    trust, recall = _core.layout_quality(data, layout, k=k, samples=n, seed=0)
    assert trust == pytest.approx(1 - 2 * penalty / (n * k * (2 * n - 3 * k - 1)))
    assert recall == pytest.approx(kept / (n * k))


# ---- progress --------------------------------------------------------------------------------------------
def test_a_cancelled_projection_raises() -> None:
    data, _ = clusters(400)
    graph, start = neighbors(data, 15), start_of(data)
    progress = _core.Progress()
    raised: list[BaseException] = []

    def run() -> None:
        try:
            _core.umap(*graph, start, epochs=[1_000_000], min_dist=0.1, seed=0, progress=progress)
        except _core.ProjectionCancelled as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while progress.fraction == 0:  # it runs, and this thread does as well
        pass
    assert progress.stage == "umap"
    progress.cancel()
    thread.join()
    assert [str(error) for error in raised] == ["The projection was cancelled."]
    for function in (lambda: _core.pca(data, 2, progress), lambda: neighbors_with(data, progress)):
        with pytest.raises(_core.ProjectionCancelled):
            function()


def neighbors_with(data: Floats, progress: _core.Progress) -> None:
    _core.neighbors(data, 5, exact=False, seed=0, progress=progress)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda data, progress: _core.pca(data[:1], 2, progress), "at least two rows"),
        (lambda data, progress: _core.neighbors(data, 50, exact=True, seed=0, progress=progress), "less than"),
        (lambda data, progress: _core.distances(data, data[0, :3].copy(), cosine=False), "as many numbers"),
        (lambda data, progress: _core.place_rows(data, data, data, seed=0, progress=progress), "2 or 3 columns"),
    ],
)
def test_impossible_arguments_are_refused(call, message: str) -> None:
    data, _ = clusters(50)
    with pytest.raises(ValueError, match=message):
        call(data, _core.Progress())


def test_neighbors_that_are_not_rows_are_refused() -> None:
    graph = np.full((4, 1), 4, np.int32), np.ones((4, 1), np.float32)
    with pytest.raises(ValueError, match="not a row"):
        _core.umap(*graph, np.zeros((4, 2), np.float32), **UMAP, progress=_core.Progress())
