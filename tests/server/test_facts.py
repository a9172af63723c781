"""Facts and queries over HTTP: responses follow the logdir, annotations and the time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from board_client import ServedBoard
from lossboard.store.run_ids import run_id
from lossboard.store.run_state import LIVE_SECS


def selected(board: ServedBoard, query: str) -> list[str]:
    response = board.post("/api/query", {"query": query})
    assert response.status == 200
    runs: list[str] = response.json()["runs"]
    return runs


def test_query_sees_new_points_and_annotations(tmp_path: Path) -> None:
    board = ServedBoard(tmp_path)
    board.write("a", {"loss": [3.0]})
    board.poll()
    assert selected(board, "last(loss) < 2") == []
    board.write("a", {"loss": [1.0]}, first_step=1)
    board.poll()
    assert selected(board, "last(loss) < 2") == [run_id("a")]
    assert selected(board, "tags = best") == []
    board.post("/api/runs/edit", {"ids": [run_id("a")], "set": {"tags": ["best"]}})
    assert selected(board, "tags = best") == [run_id("a")]


def test_query_sees_a_run_stall_without_new_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time() // 60 * 60  # the start of a minute, because responses are kept for a part of it
    monkeypatch.setattr(time, "time", lambda: now)
    board = ServedBoard(tmp_path)
    board.write("a", {"loss": [3.0]}, start=now)
    board.poll()
    board.write("a", {"loss": [1.0]}, start=now + 1, first_step=1)
    board.poll()
    assert selected(board, "state = running") == [run_id("a")]
    now += LIVE_SECS + 5
    board.poll()
    assert selected(board, "state = running") == []
    assert selected(board, "state = stalled") == [run_id("a")]
