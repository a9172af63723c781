"""A copy of `kinds/_skeleton` is a working kind once its name is in the registry."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import lossboard
from board_client import ServedBoard
from fake_run import tensor_value
from lossboard import kinds
from lossboard.events.summary import encode_event
from lossboard.events.tensors import encode_array
from lossboard.export.jsonl import JsonlExporter
from lossboard.select.series import SeriesSelection
from lossboard.store.run_ids import run_id
from reference import frame

SKELETON = Path(kinds.__file__).with_name("_skeleton")


def copy_skeleton(kind: str, target: Path) -> None:
    """Does what the instructions for a new kind say: copies the folder and renames what is named after it."""
    (target / kind).mkdir()
    for file in SKELETON.glob("*.py"):
        text = file.read_text("utf-8").replace("_skeleton", kind).replace("skeleton", kind)
        (target / kind / file.name).write_text(text.replace("Skeleton", kind.capitalize()), "utf-8")


@pytest.fixture
def gauges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A kind `gauges`, in a folder that the package `lossboard.kinds` also searches."""
    copies = tmp_path / "kinds"
    copies.mkdir()
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
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    with (run / "events.out.tfevents.1.host").open("wb") as out:
        for step in (0, 5):
            value = tensor_value("oil", "gauges", encode_array(np.zeros((2, 3 + step), np.float32)))
            out.write(frame(encode_event(1000.0 + step, step, values=[value])))
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
