"""Embeddings and profiler traces on the board: counted, listed, pushed live and deleted like other series."""

from pathlib import Path

import numpy as np
import pytest

from board_client import ServedBoard
from lossboard.export.jsonl import JsonlExporter
from lossboard.select.series import SeriesSelection
from lossboard.server.live import _tags_by_kind
from lossboard.store.run_ids import run_id
from lossboard.writer import SummaryWriter

TRACE = "worker0.123.pt.trace.json"


@pytest.fixture
def board(tmp_path: Path) -> ServedBoard:
    """Run `a` with a loss and an embedding, run `b` with only a trace."""
    served = ServedBoard(tmp_path)
    served.write("a", {"loss": [4.0, 3.0]})
    (tmp_path / "a" / "projector_config.pbtxt").write_text('embeddings { tensor_name: "words" }')
    write_trace(tmp_path / "b")
    served.poll()
    return served


def write_trace(folder: Path, content: str = "{}") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TRACE).write_text(content)


def tags(board: ServedBoard, kind: str) -> dict[str, int]:
    return {row["tag"]: row["runs"] for row in board.get(f"/api/tags?kind={kind}").json()["tags"]}


def test_assets_are_counted_and_listed(board: ServedBoard) -> None:
    document = board.get("/api/board").json()
    assert document["kinds"] == {"scalars": 1, "embeddings": 1, "profiles": 1}
    assert [(run["name"], run["start"] is None) for run in document["runs"]] == [("a", False), ("b", True)]
    assert tags(board, "embeddings") == {"words": 1}
    assert tags(board, "profiles") == {TRACE: 1}


def test_changed_traces_are_pushed_and_not_cached(board: ServedBoard, tmp_path: Path) -> None:
    changes = (
        (lambda: write_trace(tmp_path / "a"), 2),
        (lambda: write_trace(tmp_path / "a", "[1, 2]"), 2),
        ((tmp_path / "a" / TRACE).unlink, 1),
    )
    for change, runs in changes:
        cursor = board.get("/api/board").json()["cursor"]
        change()
        polled = board.logdir.poll()
        assert polled.cursor == cursor + 1
        assert {run: _tags_by_kind(series) for run, series in polled.grown.items()} == {"a": {"profiles": [TRACE]}}
        assert tags(board, "profiles") == {TRACE: runs}


def test_deleted_run_moves_and_restores_its_assets(board: ServedBoard, tmp_path: Path) -> None:
    ids = [run_id("a"), run_id("b")]
    undo = board.post("/api/runs/delete", {"ids": ids}).json()["undo"]
    board.poll()
    assert board.get("/api/board").json()["runs"] == []
    board.post("/api/runs/undelete", {"undo": undo})
    board.poll()
    assert (tags(board, "embeddings"), tags(board, "profiles")) == ({"words": 1}, {TRACE: 1})


def test_assets_are_exported_with_their_run(board: ServedBoard) -> None:
    exporter = JsonlExporter(SeriesSelection.of())
    lines = [line for run in board.logdir.runs.values() for line in exporter.of_run(run)]
    assert [line.split('"kind":')[1].split(",")[0] for line in lines] == [
        '"scalars"',
        '"scalars"',
        '"embeddings"',
        '"profiles"',
    ]


def test_parts_of_a_mesh_are_one_tag(tmp_path: Path) -> None:
    corners = np.zeros((1, 3, 3), np.float32)
    for run, parts in (("a", {}), ("b", {"faces": np.array([[[0, 1, 2]]])})):
        with SummaryWriter(tmp_path / run) as log:
            log.add_mesh("bunny", corners, **parts)
    board = ServedBoard(tmp_path)
    board.poll()
    assert board.get("/api/board").json()["kinds"] == {"meshes": 1}
    assert tags(board, "meshes") == {"bunny": 2}
    grown = {("mesh", "bunny_VERTEX"), ("mesh", "bunny_FACE")}
    assert _tags_by_kind(grown) == {"meshes": ["bunny"]}
