"""Projections over HTTP: methods, steps with one basis, notes about the data, jobs."""

import time
from pathlib import Path

import numpy as np
import pytest

from lossboard.kinds.embeddings import projection
from lossboard.kinds.embeddings.alignment import displacements, rotate_onto
from tests.kinds.embeddings.conftest import ROWS, STEPS, EmbeddingBoard, rows_at, write_embedding


def layout_of(table: dict[str, np.ndarray]) -> np.ndarray:
    return np.column_stack(list(table.values()))


def all_steps(board: EmbeddingBoard) -> list[dict[str, object]]:
    return [board.at(step) for step in STEPS]


def test_pca_has_one_basis_for_all_steps(board: EmbeddingBoard) -> None:
    head, tables = board.projected(sources=all_steps(board), method="pca")
    pooled = np.concatenate([rows_at(step) for step in STEPS]).astype(np.float64)
    centered = pooled - pooled.mean(0)
    values, vectors = np.linalg.eigh(centered.T @ centered)
    assert head["explained"] == pytest.approx((values[::-1] / values.sum())[:10], rel=1e-4)
    axes = vectors[:, ::-1][:, :2]
    axes *= np.sign(axes[np.abs(axes).argmax(0), [0, 1]])
    layouts = np.concatenate([layout_of(table) for table in tables])
    np.testing.assert_allclose(layouts, centered @ axes, atol=1e-3)
    assert [(one["step"], one["rows"], one["ready"]) for one in head["sources"]] == [(s, ROWS, True) for s in STEPS]
    assert (head["final"], head["notes"]) == (True, [])


def test_pca_with_chosen_components_in_three_dimensions(board: EmbeddingBoard) -> None:
    source = [board.at(20)]
    _, (all_axes,) = board.projected(sources=source, method="pca", dimensions=3, components=[0, 1, 2])
    _, (chosen,) = board.projected(sources=source, method="pca", dimensions=3, components=[2, 0, 11])
    np.testing.assert_array_equal(chosen["x"], all_axes["z"])
    np.testing.assert_array_equal(chosen["y"], all_axes["x"])


@pytest.mark.parametrize("method", ["umap", "tsne"])
@pytest.mark.parametrize("dimensions", [2, 3])
def test_layouts_separate_the_classes_and_follow_the_steps(board: EmbeddingBoard, method: str, dimensions: int) -> None:
    _, tables = board.projected(sources=all_steps(board), method=method, dimensions=dimensions, perplexity=10)
    layouts = [layout_of(table) for table in tables]
    assert [layout.shape for layout in layouts] == [(ROWS, dimensions)] * 3
    last = layouts[2]
    gap = np.linalg.norm(last[::2].mean(0) - last[1::2].mean(0))
    assert gap > np.linalg.norm(last[::2] - last[::2].mean(0), axis=1).mean()
    turned = rotate_onto(last, layouts[1])
    np.testing.assert_allclose(turned, last, atol=1e-3)  # no rotation brings it nearer to the step before


def test_equal_requests_share_a_job_and_its_result(board: EmbeddingBoard) -> None:
    request = {"sources": [board.at(0)], "method": "tsne", "perplexity": 10}
    head, _ = board.projected(**request)
    state = board.ask("project", page="another", **request).json()
    assert (state["job"], state["state"], state["version"]) == (head["job"], "done", head["version"])
    assert board.ask("project", page="p", **{**request, "seed": 1}).json()["job"] != head["job"]


def test_cosine_ignores_length(board: EmbeddingBoard) -> None:
    lengths = 2.0 ** (np.arange(ROWS) % 5)[:, None]
    np.savetxt(board.folder / "run" / "t.tsv", rows_at(20) * lengths, delimiter="\t")
    write_embedding(board.folder / "long", 'embeddings { tensor_name: "e" tensor_path: "../run/t.tsv" }')
    board.poll()
    sources = [board.at(20), board.at(0, run="long", tag="e")]
    plain, scaled = (board.projected(sources=[one], method="umap", cosine=True, seed=4)[1][0] for one in sources)
    # The layouts start from a PCA of rows of length 1, so they are equal from the first epoch on.
    np.testing.assert_array_equal(layout_of(scaled), layout_of(plain))


def test_spherize_puts_rows_on_a_sphere(board: EmbeddingBoard) -> None:
    request = {"sources": [board.at(20)], "method": "pca", "dimensions": 3}
    _, (table,) = board.projected(**request, spherize=True)
    assert np.linalg.norm(layout_of(table), axis=1).max() <= 1.01
    _, (table,) = board.projected(**request)
    assert np.linalg.norm(layout_of(table), axis=1).max() > 2


def test_custom_axes_run_between_the_means_of_rows(board: EmbeddingBoard) -> None:
    axes = [{"from": [0, 2], "to": [1, 3]}, {"from": [0], "to": [4]}]
    _, (table,) = board.projected(sources=[board.at(20)], method="custom", axes=axes)
    rows = rows_at(20).astype(np.float64)
    direction = rows[[1, 3]].mean(0) - rows[[0, 2]].mean(0)
    wanted = (rows - rows.mean(0)) @ direction / np.linalg.norm(direction)
    np.testing.assert_allclose(table["x"], wanted, atol=1e-4)
    answer = board.ask(
        "project", page="p", sources=[board.at(20)], method="custom", axes=[axes[0], {"from": [0], "to": [ROWS]}]
    )
    assert answer.status == 400


def test_rows_beyond_the_limit_are_placed_by_their_neighbors(
    board: EmbeddingBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "MAX_PROJECTED", 60)
    monkeypatch.setattr(projection, "SAMPLED", 50)
    head, (table,) = board.projected(sources=[board.at(20)], method="umap")
    assert head["notes"] == ["40 of 90 rows are placed by their neighbors among 50 projected rows."]
    layout = layout_of(table)
    assert np.isfinite(layout).all()
    means = layout[::2].mean(0), layout[1::2].mean(0)
    nearer = np.linalg.norm(layout - means[0], axis=1) < np.linalg.norm(layout - means[1], axis=1)
    assert (nearer == (np.arange(ROWS) % 2 == 0)).mean() > 0.9


def test_tsne_in_three_dimensions_has_a_lower_limit(board: EmbeddingBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection, "MAX_TSNE_3D", 50)
    flat, _ = board.projected(sources=[board.at(20)], method="tsne", perplexity=10)
    head, (table,) = board.projected(sources=[board.at(20)], method="tsne", perplexity=10, dimensions=3)
    assert (flat["notes"], len(head["notes"])) == ([], 1)
    assert np.isfinite(layout_of(table)).all()


# ---- odd data --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["pca", "umap", "tsne"])
def test_rows_with_nan_and_constant_columns_are_reported(board: EmbeddingBoard, method: str) -> None:
    rows = rows_at(20)
    rows[3, 1], rows[7, 2], rows[:, 5] = np.nan, np.inf, 4
    np.savetxt(board.folder / "run" / "t.tsv", rows, delimiter="\t")
    write_embedding(board.folder / "odd", 'embeddings { tensor_name: "e" tensor_path: "../run/t.tsv" }')
    board.poll()
    head, (table,) = board.projected(sources=[board.at(0, run="odd", tag="e")], method=method)
    assert head["notes"] == [
        "Step 0: 2 of 90 rows are left out, because they or the same rows of another step hold NaN or infinity.",
        "1 of 12 columns are constant and have no effect.",
    ]
    assert np.flatnonzero(np.isnan(table["x"])).tolist() == [3, 7]
    answer = board.ask("neighbors", **board.at(0, run="odd", tag="e"), row=3)
    assert answer.json()["error"]["message"] == "Row 3 holds NaN or infinity, so it has no neighbors."


@pytest.mark.parametrize("method", ["pca", "umap", "tsne"])
@pytest.mark.parametrize(
    ("content", "message"),
    [("nan\t1\n" * 5, "at least two rows"), ("1\t2\n", "at least two rows"), ("1\t2\n2\t2\n", "at least three rows")],
)
def test_projection_of_too_few_rows_fails(tmp_path: Path, method: str, content: str, message: str) -> None:
    write_embedding(tmp_path, 'embeddings { tensor_name: "e" tensor_path: "t" }', t=content.encode())
    board = EmbeddingBoard(tmp_path)
    board.poll()
    state = board.ask("project", page="p", sources=[board.at(0, run=".", tag="e")], method=method).json()
    while state["state"] in ("waiting", "running"):
        state = board.ask("progress", job=state["job"]).json()
    if method == "pca" and "three" in message:
        assert state["state"] == "done"
    else:
        assert (state["state"], message in state["message"]) == ("failed", True)
    board.context.jobs.close()


def test_a_tensor_of_one_column_has_an_empty_second_axis(tmp_path: Path) -> None:
    write_embedding(tmp_path, 'embeddings { tensor_name: "e" tensor_path: "t" }', t=b"1\n2\n4\n")
    board = EmbeddingBoard(tmp_path)
    board.poll()
    head, (table,) = board.projected(sources=[board.at(0, run=".", tag="e")], method="pca")
    assert head["notes"] == ["There are only 1 components. Further axes are empty."]
    assert table["y"].tolist() == [0, 0, 0]
    board.context.jobs.close()


@pytest.mark.parametrize(
    "params",
    [
        {"method": "magic"},
        {"dimensions": 4},
        {"components": [0]},
        {"components": [0, -1]},
        {"perplexity": 0},
        {"neighbors": 1},
        {"min_dist": "x"},
        {"sources": []},
        {"method": "custom", "axes": [{"from": [0], "to": ["a"]}] * 2},
    ],
)
def test_impossible_parameters_are_refused(board: EmbeddingBoard, params: dict[str, object]) -> None:
    answer = board.ask("project", **{"page": "p", "sources": [board.at(0)], "method": "pca", **params})
    assert (answer.status, answer.error) == (400, "question")


# ---- jobs ------------------------------------------------------------------------------------------------
def test_a_running_projection_is_shown_answers_others_and_is_cancelled(
    board: EmbeddingBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(projection, "UMAP_SCHEDULES", [10, 100_000_000])
    state = board.ask("project", page="p", sources=[board.at(20)], method="umap").json()
    deadline = time.monotonic() + 60
    while state["stage"] != "umap" or state["version"] < 2:
        state = board.ask("progress", job=state["job"]).json()
        assert time.monotonic() < deadline
    head, (table,) = board.ask("points", job=state["job"]).frames()
    assert (head["final"], np.isfinite(table["x"]).all()) == (False, True)
    assert board.ask("neighbors", **board.at(0), row=0).status == 200
    # Another projection of the same page replaces it.
    board.projected(sources=[board.at(20)], method="pca")
    assert board.ask("progress", job=state["job"]).status == 404


def test_projections_end_with_the_server(board: EmbeddingBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(projection, "UMAP_SCHEDULES", [100_000_000])
    state = board.ask("project", page="p", sources=[board.at(20)], method="umap").json()
    board.context.jobs.close()
    assert board.ask("progress", job=state["job"]).status == 404


# ---- alignment -------------------------------------------------------------------------------------------
def test_rotate_onto_undoes_a_rotation_and_a_reflection() -> None:
    rng = np.random.default_rng(0)
    target = rng.normal(size=(50, 2)).astype(np.float32)
    turn = np.array([[0, -1], [-1, 0]], np.float32)
    np.testing.assert_allclose(rotate_onto(target @ turn + 5, target), target, atol=1e-5)


def test_displacements_are_in_units_of_the_radius() -> None:
    before = np.array([[0, 0], [2, 0]], np.float32)
    assert displacements(before, np.array([[0, 0], [4, 0]], np.float32)).tolist() == [0, 1]
