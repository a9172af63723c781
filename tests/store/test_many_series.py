"""Runs with very many series: the index asks the core instead of holding them, with the same results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from board_client import ServedBoard
from every_kind import serve_every_kind
from lossboard.store.many_series import ManySeries


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    served = serve_every_kind(tmp_path_factory.mktemp("logs"))
    served.context.jobs.close()
    return served.folder


def served(folder: Path, monkeypatch: pytest.MonkeyPatch, min_series: int) -> ServedBoard:
    monkeypatch.setattr("lossboard.store.series_index.MIN_SERIES", min_series)
    board = ServedBoard(folder)
    board.poll()
    return board


def responses(board: ServedBoard) -> list[Any]:
    info = board.get("/api/board").json()
    chart = {"tags": ["loss"], "attempts": True, "max_lines": 1}
    tags = [board.get(f"/api/tags?kind={kind}").json() for kind in info["kinds"]]
    return [info, tags, board.charts(chart)[0], board.post("/api/images/series", {}).json()]


def test_responses_are_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = served(folder, monkeypatch, 0)
    assert all(isinstance(series, ManySeries) for _, series in many.context.index.of(many.logdir.runs.values()))
    assert responses(many) == responses(served(folder, monkeypatch, 1000))


def test_series_are_those_of_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for run in served(folder, monkeypatch, 0).logdir.runs.values():
        series, index = ManySeries(run), {(info.plugin, info.tag): info for info in run.index()}
        assert list(series) == list(index) and len(series) == len(index)
        assert dict(series.items()) == index and list(series.values()) == list(index.values())
        for key, info in index.items():
            found = series[key]
            found.changed_at = info.changed_at  # that of the run: a single series is not asked for it
            assert key in series and found == info
        assert ("scalars", "no such tag") not in series


def test_new_tag_is_notified_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lossboard.store.series_index.MIN_SERIES", 0)
    board = ServedBoard(tmp_path)
    board.write("a", {"loss": [1.0]})
    board.poll()
    assert board.get("/api/board").json()["kinds"] == {"scalars": 1}
    board.write("a", {"accuracy": [1.0]})
    board.logdir.poll()
    assert ("scalars", "accuracy") in board.context.index.refresh(board.logdir.runs)
    assert board.get("/api/board").json()["kinds"] == {"scalars": 2}
