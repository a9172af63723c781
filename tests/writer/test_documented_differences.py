"""Differences that docs/compatibility.md lists and no table of odd arguments covers: what each writer stores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorboardX
from PIL import Image
from tensorboard.compat.proto.event_pb2 import Event
from torch.utils.tensorboard import SummaryWriter as TorchWriter

import lossboard.tensorboardX
from lossboard import SummaryWriter
from writer.event_protos import contents
from writer.read_events import scalars


@pytest.mark.parametrize(
    ("log", "size"),
    [
        (lambda w: w.add_images("i", np.ones((2, 4, 5, 6)), 1), (5, 12)),
        (lambda w: w.add_images("i", [np.ones((3, 5, 6))] * 2, 1), (5, 12)),
    ],
    ids=["four channels", "list"],
)
def test_images_that_torch_rejects_are_logged(
    tmp_path: Path, log: Callable[[Any], None], size: tuple[int, int]
) -> None:
    with TorchWriter(str(tmp_path / "torch")) as writer, pytest.raises((AssertionError, NotImplementedError)):
        log(writer)
    with SummaryWriter(tmp_path / "ours") as writer:
        log(writer)
    ((*_, (height, width, *_), _),) = contents(tmp_path / "ours")["."]
    assert (height, width) == size


def test_boxes_with_more_columns_are_logged_as_torch_logs_them(tmp_path: Path) -> None:
    for name, kind in (("torch", TorchWriter), ("ours", SummaryWriter)):
        with kind(str(tmp_path / name)) as writer:
            writer.add_image_with_boxes("i", np.ones((3, 9, 9)), np.array([[1, 1, 5, 5, 0.9]]), 1)
    assert contents(tmp_path / "ours") == contents(tmp_path / "torch")


def test_scalars_with_an_invalid_value_are_not_stored(tmp_path: Path) -> None:
    for name, kind, stored in (("torch", TorchWriter, {"m_a"}), ("ours", SummaryWriter, set())):
        with kind(str(tmp_path / name)) as writer, pytest.raises((TypeError, NotImplementedError)):
            writer.add_scalars("m", {"a": 1.0, "b": object()}, 1)
        assert {name for name, events in contents(tmp_path / name).items() if events} == stored


def test_events_added_after_close_start_a_new_file(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path)
    file_writer = writer.file_writer
    assert file_writer is not None
    writer.add_scalar("x", 1.0, 1)
    writer.close()
    file_writer.add_event(Event(step=2, wall_time=5.0, summary={"value": [{"tag": "x", "simple_value": 2.0}]}))
    file_writer.close()
    assert scalars(tmp_path) == {"x": [(1, 1.0), (2, 2.0)]}
    assert len(list(tmp_path.iterdir())) == 2


def test_default_steps_can_be_nested_and_apply_to_add_scalars(tmp_path: Path) -> None:
    with lossboard.tensorboardX.SummaryWriter(str(tmp_path)) as writer, writer.use_metadata(global_step=1):
        with writer.use_metadata(global_step=2, walltime=7.0):
            writer.add_scalars("m", {"a": 1.0})
        writer.add_scalars("m", {"a": 2.0})
    (first, second) = contents(tmp_path)["m/a"]
    assert (first[0], first[-1], second[0], second[-1]) == (2, "7.0", 1, "now")


def test_export_to_json_has_all_points_each_time(tmp_path: Path) -> None:
    for name, kind in (("theirs", tensorboardX.SummaryWriter), ("ours", lossboard.tensorboardX.SummaryWriter)):
        with kind(str(tmp_path / name)) as writer:
            writer.add_scalars("m", {"a": 1.0}, walltime=3.0)
            writer.export_scalars_to_json(tmp_path / f"{name}.1.json")
            writer.add_scalars("m", {"a": 2.0}, 2, walltime=4.0)
            writer.export_scalars_to_json(tmp_path / f"{name}.2.json")
    exported = {path.stem: list(json.loads(path.read_text()).values()) for path in tmp_path.glob("*.json")}
    assert exported["ours.1"] == [[[3.0, 0, 1.0]]]
    assert exported["ours.2"] == [[[3.0, 0, 1.0], [4.0, 2, 2.0]]]
    assert exported["theirs.1"] == [[[3.0, None, 1.0]]], "a missing step is null in tensorboardX"
    assert exported["theirs.2"] == [[[4.0, 2, 2.0]]], "tensorboardX exports only new points"


def test_label_images_need_not_be_square(tmp_path: Path) -> None:
    images = np.ones((4, 3, 6, 2), np.float32)
    with tensorboardX.SummaryWriter(str(tmp_path / "theirs")) as writer, pytest.raises(AssertionError):
        writer.add_embedding(np.eye(4), label_img=images)
    with lossboard.tensorboardX.SummaryWriter(str(tmp_path / "ours")) as writer:
        writer.add_embedding(np.eye(4), label_img=images)
    (sprite,) = (tmp_path / "ours").rglob("sprite.png")
    with Image.open(sprite) as image:
        assert image.size == (4, 12)


def test_onnx_graph_is_logged_silently(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = pytest.importorskip("onnx")
    value = onnx.helper.make_tensor_value_info("x", 1, [1])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Relu", ["x"], ["y"])], "g", [value], [value])
    onnx.save(onnx.helper.make_model(graph), tmp_path / "m.onnx")
    with lossboard.tensorboardX.SummaryWriter(str(tmp_path / "r")) as writer:
        writer.add_onnx_graph(tmp_path / "m.onnx")
    assert capsys.readouterr() == ("", "")
