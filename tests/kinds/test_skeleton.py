"""A copy of `kinds/_skeleton` is a working kind once its name is in the registry."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lossboard
from board_client import ServedBoard
from copied_kind import copy_skeleton, write_points
from lossboard import kinds
from lossboard.export.jsonl import JsonlExporter
from lossboard.select.series import SeriesSelection
from lossboard.store.run_ids import run_id


@pytest.fixture
def gauges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A kind `gauges`, in a folder that the package `lossboard.kinds` also searches."""
    copies = tmp_path / "kinds"
    copy_skeleton("gauges", copies)
    monkeypatch.setattr(kinds, "__path__", [*kinds.__path__, str(copies)])
    monkeypatch.setattr(kinds, "NAMES", (*kinds.NAMES, "gauges"))
    forget_kinds()
    yield
    monkeypatch.undo()
    forget_kinds()
    for module in [name for name in sys.modules if name.startswith("lossboard.kinds.gauges")]:
        del sys.modules[module]


def forget_kinds() -> None:
    kinds.kinds.cache_clear()
    kinds._by_plugin.cache_clear()


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """A run with two points of the plugin `gauges`."""
    write_points("gauges", tmp_path / "logs" / "run", [0, 5])
    return tmp_path / "logs"


@pytest.mark.usefixtures("gauges")
def test_copied_skeleton_is_indexed_and_exported(logdir: Path) -> None:
    board = lossboard.open(logdir)
    assert board["run"].tags == {"oil": "gauges"}
    lines = [json.loads(line) for line in JsonlExporter(SeriesSelection.of()).of_run(board["run"].stored)]
    assert lines == [
        {"run": "run", "tag": "oil", "kind": "gauges", "step": step, "wall_time": 1000.0 + step, "shape": [2, 3 + step]}
        for step in (0, 5)
    ]


@pytest.mark.usefixtures("gauges")
def test_copied_skeleton_is_served(logdir: Path) -> None:
    board = ServedBoard(logdir)
    board.poll()
    assert board.get("/api/board").json()["kinds"] == {"gauges": 1}
    assert [row["tag"] for row in board.get("/api/tags?kind=gauges").json()["tags"]] == ["oil"]
    assert board.post("/api/gauges/series", {}).json()["series"] == [
        {"run": run_id("run"), "tag": "oil", "steps": [0, 5], "walls": [1000.0, 1005.0], "shape": [2, 8]}
    ]


def test_data_of_an_unregistered_kind_is_a_tensor(logdir: Path) -> None:
    assert lossboard.open(logdir)["run"].tags == {"oil": "tensors"}
