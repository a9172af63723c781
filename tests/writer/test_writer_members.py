"""Attributes and methods that torch's and tensorboardX's writers have besides the `add_…` methods."""

from __future__ import annotations

import contextlib
import json
import logging
import warnings
import wave
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tensorboard.backend.event_processing import event_accumulator, plugin_event_accumulator
from tensorboard.compat.proto.event_pb2 import Event, LogMessage
from tensorboard.compat.proto.summary_pb2 import Summary
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from lossboard import SummaryWriter
from lossboard.kinds.graphs.decode import graphs
from lossboard.store.logdir import Logdir
from writer.event_protos import contents
from writer.read_events import events, scalars


def test_file_writer_is_none_after_close_until_something_is_logged(tmp_path: Path) -> None:
    for writer in (TorchWriter(str(tmp_path / "torch")), SummaryWriter(tmp_path / "ours")):
        first = writer.file_writer
        assert first is writer.file_writer is writer._get_file_writer()
        writer.close()
        assert writer.file_writer is None and writer.all_writers is None
        writer.flush()
        writer.add_scalar("x", 1.0, 1)
        assert writer.file_writer is not None
        writer.close()
        writer.add_text("t", "again", 2)
        assert list(writer.all_writers) == [str(writer.log_dir)]
        writer.close()
    assert contents(tmp_path / "ours") == contents(tmp_path / "torch")


def test_all_writers_lists_the_sub_runs(tmp_path: Path) -> None:
    found = []
    for writer in (TorchWriter(str(tmp_path)), SummaryWriter(str(tmp_path))):
        writer.add_scalars("a/b", {"x": 1.0, "y/z": 2.0}, 1)
        found.append(list(writer.all_writers))
        for file in writer.all_writers.values():
            file.flush()
        writer.close()
    assert found[0] == found[1]


def test_default_bins_match_torch(tmp_path: Path) -> None:
    with TorchWriter(str(tmp_path / "torch")) as torch_writer, SummaryWriter(tmp_path / "ours") as writer:
        assert writer.default_bins == torch_writer.default_bins


def add_events(writer: Any) -> None:
    value = Summary(value=[Summary.Value(tag="x", simple_value=1.5)])
    writer.file_writer.add_event(Event(summary=value), 3, 5.0)
    writer.file_writer.add_event(Event(step=4, wall_time=9.0, summary=value))
    writer.file_writer.add_event(Event(log_message=LogMessage(message="hello")), 5)
    writer.file_writer.add_event(Event(step=6))
    writer.file_writer.event_writer.add_event(Event(step=7, wall_time=8.0, summary=value))
    writer.file_writer.event_writer.flush()


def test_events_are_written_as_torch_writes_them(tmp_path: Path) -> None:
    for who, kind in (("torch", TorchWriter), ("ours", SummaryWriter)):
        with kind(str(tmp_path / who)) as writer:
            add_events(writer)
    assert contents(tmp_path / "ours") == contents(tmp_path / "torch")
    logged = [event for event in events(tmp_path / "ours") if 6 in event.message]
    assert [event.message.message(6).text(2) for event in logged] == ["hello"]


def test_a_graph_message_is_written(tmp_path: Path) -> None:
    from torch.utils.tensorboard._pytorch_graph import graph

    with SummaryWriter(tmp_path / "r") as writer, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        writer._get_file_writer().add_graph(graph(torch.nn.Linear(2, 1), torch.zeros(1, 2)))
        writer._get_file_writer().reopen()
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    (found,) = graphs(logdir.runs["r"])
    assert any("Linear" in node.name for node in found.nodes)


def test_use_metadata_sets_step_and_wall_time(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        with writer.use_metadata(global_step=10, walltime=5.0) as same:
            assert same is writer
            writer.add_scalar("x", 1.0)
            writer.add_scalar("x", 2.0, 11)
            writer.add_text("t", "text")
            writer.add_scalars("s", {"a": 1.0})
            with writer.use_metadata(global_step=20):
                writer.add_scalar("x", 3.0)
        with contextlib.suppress(ZeroDivisionError), writer.use_metadata(global_step="7"):
            writer.add_scalar("x", 1 / 0)
        writer.add_scalar("x", 4.0)
    found = contents(tmp_path)
    assert [(row[0], row[1], row[-1]) for row in found["."]] == [
        (10, "x", "5.0"), (11, "x", "5.0"), (10, "t/text_summary", "5.0"), (20, "x", "now"), (0, "x", "now")
    ]  # fmt: skip
    assert [(row[0], row[-1]) for row in found["s_a"]] == [(10, "5.0")]


def test_scalars_are_exported_to_json(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalars("loss", {"train": 0.1, "val": 2}, 3, walltime=5.0)
        writer.add_scalars("loss", {"train": 0.05}, 4, walltime=6.0)
        writer.export_scalars_to_json(tmp_path / "all.json")
    assert json.loads((tmp_path / "all.json").read_text()) == {
        f"{tmp_path}/run/loss_train": [[5.0, 3, 0.1], [6.0, 4, 0.05]],
        f"{tmp_path}/run/loss_val": [[5.0, 3, 2.0]],
    }


def test_tensorboardx_positions_of_arguments_work(tmp_path: Path) -> None:
    boxes = np.array([[1, 1, 4, 4]])
    with SummaryWriter(tmp_path, "", None, 10, 120, ".end", True) as writer:
        writer.add_scalar("x", 1.0, 1, 5.0, "a name", "a description")
        writer.add_hparams({"lr": 0.1}, {"m": 1.0}, "trial", 7)
        writer.add_image_with_boxes("i", np.zeros((8, 8, 3)), boxes, 1, 5.0, "HWC", ["cat"])
        writer.add_image_with_boxes("i", np.zeros((8, 8, 3)), boxes, 2, 5.0, "HWC")
    found = contents(tmp_path)
    assert found["."][0][3] == "a name"
    assert [row[0] for row in found["."][1:]] == [1, 2]
    assert found["trial"][-1][:2] == (7, "m")
    assert all(path.name.endswith(".end") for path in tmp_path.rglob("*tfevents*"))


def test_add_images_accepts_a_list_of_images(tmp_path: Path) -> None:
    images = [np.full((3, 4, 5), 0.5), np.full((3, 4, 5), 1.0)]
    with SummaryWriter(tmp_path) as writer:
        writer.add_images("chw", images, 1, dataformats="CHW")
        writer.add_images("torch", [torch.tensor(image) for image in images], 1, dataformats="CHW")
        writer.add_images("hwc", [image.transpose(1, 2, 0) for image in images], 1, dataformats="HWC")
    rows = contents(tmp_path)["."]
    assert rows[0][-2] == rows[1][-2] == rows[2][-2]
    assert rows[0][-2][:2] == (4, 10)


def test_stereo_is_logged_with_two_channels(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_audio("a", np.c_[np.full(10, 0.5), np.full(10, -0.5)], 1, sample_rate=8000)
    for event in events(tmp_path):
        for value in Event.FromString(bytes_of(event)).summary.value:
            audio = value.audio
    with wave.open(BytesIO(audio.encoded_audio_string)) as file:
        assert (file.getnchannels(), file.getnframes(), audio.num_channels, audio.length_frames) == (2, 10, 2, 10)
        assert np.frombuffer(file.readframes(1), "<i2").tolist() == [16383, -16383]


def bytes_of(event: Any) -> bytes:
    from lossboard.events.summary import encode_event

    return encode_event(event.wall_time, event.step, values=event.values)


def test_openvino_graph_has_layers_and_edges(tmp_path: Path) -> None:
    port = '<output><port id="0"><dim>1</dim><dim>3</dim></port></output>'
    layers = f'<layer id="0" name="in" type="Parameter">{port}</layer><layer id="1" name="act" type="ReLU"/>'
    edges = '<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>'
    (tmp_path / "model.xml").write_text(f"<net><layers>{layers}</layers><edges>{edges}</edges></net>")
    with SummaryWriter(tmp_path / "r") as writer:
        writer.add_openvino_graph(str(tmp_path / "model.xml"))
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    (found,) = graphs(logdir.runs["r"])
    assert [(node.name, node.op, node.inputs) for node in found.nodes] == [
        ("in", "Parameter", ()),
        ("act", "ReLU", ("in",)),
    ]


@pytest.mark.parametrize("log_dir", ["run", Path("run"), b"run", 5])
def test_log_dir_is_kept_as_it_was_passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log_dir: Any) -> None:
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(log_dir) as writer:
        assert writer.log_dir == writer.logdir == writer.get_logdir() == log_dir
    assert [path.name for path in tmp_path.iterdir()] == ["5" if log_dir == 5 else "run"]


def test_doubtful_calls_are_warned_of_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from lossboard.events.warn_once import _logged

    _logged.clear()
    with caplog.at_level(logging.WARNING, "lossboard"), SummaryWriter(tmp_path) as writer:
        for step in range(3):
            writer.add_image("mask", np.full((3, 4, 4), 7), step)
            writer.add_pr_curve("logits", np.array([0, 1]), np.array([-3.0, 4.0]), step)
    assert len(caplog.messages) == 2
    assert "multiplied by 255" in caplog.messages[0]
    assert "Apply a sigmoid" in caplog.messages[1]


class Halved(SummaryWriter):
    def add_scalar(self, tag: str, scalar_value: Any, *args: Any, **kwargs: Any) -> None:
        super().add_scalar(tag, scalar_value / 2, *args, **kwargs)


def test_a_subclass_keeps_its_add_scalar(tmp_path: Path) -> None:
    writer = Halved(tmp_path)
    writer.add_scalar("x", 2.0, 1)
    writer.close()
    writer.add_scalar("x", 4.0, 2)
    with writer.use_metadata(global_step=3):
        writer.add_scalar("x", 6.0)
    writer.close()
    assert scalars(tmp_path) == {"x": [(1, 1.0), (2, 2.0), (3, 3.0)]}


def test_purge_step_supersedes_points_on_the_first_resume(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "r") as writer:
        for step in range(8):
            writer.add_scalar("again", step, step)
            writer.add_scalar("never again", step, step)
            writer.add_text("note", "text", step)
    with SummaryWriter(tmp_path / "r", purge_step=5) as writer:
        writer.add_scalar("again", 50, 5)
    expected = {"again": [0, 1, 2, 3, 4, 5], "never again": [0, 1, 2, 3, 4]}
    for kind in (event_accumulator, plugin_event_accumulator):
        theirs = kind.EventAccumulator(str(tmp_path / "r"), size_guidance={"scalars": 0, "tensors": 0}).Reload()
        scalars_of = theirs.Scalars if kind is event_accumulator else theirs.Tensors
        assert {tag: [event.step for event in scalars_of(tag)] for tag in expected} == expected
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    run = logdir.runs["r"]
    assert {tag: run.column(tag).steps.tolist() for tag in expected} == expected
    assert run.references("text", "note/text_summary").steps.tolist() == [0, 1, 2, 3, 4]


def test_relative_log_dir_stays_the_same_after_chdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in programs that use Hydra, which changes the working directory."""
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path)
    with SummaryWriter("runs/a") as writer:
        monkeypatch.chdir(tmp_path / "other")
        writer.add_scalar("x", 1.0, 1)
        writer.add_scalars("m", {"k": 1.0}, 1)
        writer.add_hparams({"lr": 0.1}, {"acc": 1.0}, run_name="trial")
        writer.add_embedding(np.eye(2), global_step=1)
        writer.export_scalars_to_json(tmp_path / "m.json")
    assert list((tmp_path / "other").iterdir()) == []
    assert {str(path.parent.relative_to(tmp_path / "runs")) for path in tmp_path.rglob("*tfevents*")} == {
        "a",
        "a/m_k",
        "a/trial",
    }
    assert (tmp_path / "runs/a/projector_config.pbtxt").exists()
    assert [point[1:] for point in json.loads((tmp_path / "m.json").read_text())["runs/a/m_k"]] == [[1, 1.0]]
