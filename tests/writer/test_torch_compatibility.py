"""Unusual inputs that torch's SummaryWriter accepts: the writer stores the same messages."""
# ruff: noqa: E501 tables

from __future__ import annotations

import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.tensorboard import SummaryWriter as TorchWriter
from torch.utils.tensorboard import summary
from torch.utils.tensorboard.summary import hparams

from lossboard import SummaryWriter
from writer.event_protos import contents

Log = Callable[[Any], object]


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).random(shape, np.float32)


def bytes_(*shape: int) -> np.ndarray:
    return (random(*shape) * 255).astype(np.uint8)


def normal(count: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=count)


def scalar(value: object) -> Log:
    return lambda w: w.add_scalar("x", value, 1)


def step(value: object) -> Log:
    return lambda w: (w.add_scalar("x", 1.0, value), w.add_text("t", "y", value))


def tag(name: str) -> Log:
    return lambda w: (w.add_scalar(name, 1.0, 1), w.add_text(name, "t", 1), w.add_histogram(name, np.arange(4.0), 1))


def histogram(values: object, **settings: Any) -> Log:
    return lambda w: w.add_histogram("h", values, 1, **settings)


def image(pixels: object, **settings: Any) -> Log:
    return lambda w: w.add_image("i", pixels, 1, **settings)


def sound(samples: object, **settings: Any) -> Log:
    return lambda w: w.add_audio("a", samples, 1, **settings)


def curve(labels: object, predictions: object, **settings: Any) -> Log:
    return lambda w: w.add_pr_curve("p", labels, predictions, 1, **settings)


def points(**settings: Any) -> Log:
    return lambda w: w.add_embedding(random(6, 3), **settings)


def trial(*settings: Any, **named: Any) -> Log:
    return lambda w: w.add_hparams(*settings, **{"run_name": "r", **named})


def mesh(vertices: object, **settings: Any) -> Log:
    return lambda w: w.add_mesh("m", vertices, global_step=1, **settings)


def own_summaries(w: Any) -> None:
    """Logs hyperparameters into the run itself instead of a sub-run, as many programs do."""
    for part in hparams({"lr": 0.1}, {"accuracy": 0.5}):
        w.file_writer.add_summary(part)
    w._get_file_writer().add_summary(summary.scalar("loss", 0.25), 3, walltime=5.0)
    assert w.file_writer.get_logdir() == str(w.get_logdir())
    w.file_writer.flush()


WAVE = np.sin(np.arange(100) / 5)
BOXES = np.array([[1, 2, 10, 12], [0, 0, 5, 5.0]])
LABELS, SCORES = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.9, 0.8, 0.4, 0.35])

CALLS: dict[str, Log] = {
    "bool": scalar(True), "numpy bool": scalar(np.bool_(True)), "large int": scalar(2**40), "half": scalar(np.float16(1.5)),
    "one element": scalar(np.ones((1, 1, 1))), "int tensor": scalar(torch.tensor([[5]])), "bool tensor": scalar(torch.tensor(True)),
    "beyond float32": scalar(-1e39), "denormal": scalar(1e-46), "Decimal": scalar(Decimal("1.5")),
    "Fraction": scalar(Fraction(1, 3)), "no step": step(None), "step zero": step(0), "step below": step(-3), "step float": step(2.7),
    "step numpy": step(np.int32(4)), "step numpy float": step(np.float32(3.9)), "step tensor": step(torch.tensor(5)),
    "step tensor float": step(torch.tensor(5.9)), "step tensor of one": step(torch.tensor([6])), "step bool": step(True),
    "step most": step(2**63 - 1), "step least": step(-(2**63)), "step array": step(np.array(3)),
    "wall time zero": lambda w: w.add_scalar("x", 1.0, 1, walltime=0), "wall time below": lambda w: w.add_scalar("x", 1.0, 1, walltime=-1.5),
    "wall time numpy": lambda w: w.add_scalar("x", 1.0, 1, walltime=np.float32(7)),
    "tag space": tag("a b"), "tag slashes": tag("/a//b/"), "tag unicode": tag("ü✓😀"), "tag lines": tag("a\nb"), "tag zero": tag("a\0b"),
    "tag long": tag("a" * 3000), "tag dots": tag("../x"), "tag quotes": tag("'\"\\%:0"), "tag empty": tag(""),
    "scalars nested": lambda w: w.add_scalars("a/b/c", {"d/e": 1.0, "f": torch.tensor(2)}, 3), "scalars none": lambda w: w.add_scalars("a", {}, 3),
    "scalars again": lambda w: [w.add_scalars("a b", {"x y": i}, i, walltime=4.0) for i in range(3)],
    "one value": histogram(3.5), "numpy value": histogram(np.float32(3)), "tensor value": histogram(torch.tensor(2.5)), "integers": histogram(np.arange(100)),
    "bytes": histogram(np.arange(10, dtype=np.uint8)), "bools": histogram(np.array([True, False, True])), "bool tensors": histogram(torch.tensor([True, False])),
    "halves": histogram(np.arange(10).astype(np.float16)), "bfloats": histogram(torch.arange(10).bfloat16()), "cube": histogram(np.arange(24.0).reshape(2, 3, 4)),
    "with gradient": histogram(torch.arange(4.0, requires_grad=True)), "beyond the bins": histogram(np.array([1e25, -1e25, 1.0])), "tiny": histogram(np.array([1e-15, -1e-15, 0, 5e-324])),
    "zeros": histogram(np.zeros(10)), "all the same": histogram(np.full(7, 2.0)), "large integers": histogram(np.array([2**60, -(2**60)])), "some NaN": histogram(np.array([1, np.nan, 2.0])),
    "infinite": histogram(np.array([-np.inf, 1, 2.0])), "float32": histogram(normal(3000).astype(np.float32)), "wall time": histogram(normal(9), walltime=3.0),
    **{f"bins {bins}": histogram(normal(1000), bins=bins) for bins in ("auto", "fd", "doane", "scott", "rice", "sturges", "sqrt", "stone", 10)},
    **{f"max_bins {most}": histogram(normal(1000), max_bins=most) for most in (1, 2, 7, 1000, 5000)},
    **{f"max_bins {most} of auto": histogram(normal(1000), bins="auto", max_bins=most) for most in (1, 5, 20)},
    "edges": histogram(normal(99), bins=[-1, 0, 1]),
    "raw numpy": lambda w: w.add_histogram_raw("h", np.float32(0.1), 1, 2, 3, 4, np.array([1, 2]), np.array([3, 4]), 1),
    "double": image(random(3, 5, 6).astype(float)), "half image": image(random(3, 5, 6).astype(np.float16)), "bool image": image(random(3, 5, 6) > 0.5),
    "small integers": image((random(3, 5, 6) * 2).astype(np.int64)), "below and above": image(random(3, 5, 6) * 4 - 2), "bfloat image": image(torch.tensor(random(3, 4, 4)).bfloat16()),
    "infinite image": image(np.full((3, 2, 2), np.inf)), "gray": image(random(1, 5, 6)), "gray and alpha": image(random(2, 5, 6)), "alpha": image(bytes_(5, 6, 4), dataformats="HWC"),
    "plane": image(random(5, 6), dataformats="hw"), "WHC": image(random(5, 6, 3), dataformats="WHC"), "CWH": image(random(3, 6, 5), dataformats="CWH"), "CNHW": image(random(3, 5, 4, 4), dataformats="CNHW"),
    "one of a batch": image(random(1, 3, 4, 4), dataformats="NCHW"), "twenty gray": image(random(20, 1, 4, 4), dataformats="NCHW"), "pixel": image(random(3, 1, 1)), "rounding": image(np.array([[[0.0, 0.5, 1 / 255, 127.5 / 255, 0.999]]] * 3)),
    "turned": image(torch.tensor(random(4, 5, 3)).permute(2, 0, 1)), "image with gradient": image(torch.tensor(random(3, 4, 4), requires_grad=True)),
    "batch": lambda w: w.add_images("i", bytes_(9, 3, 4, 5), 1), "batch of bools": lambda w: w.add_images("i", random(3, 3, 4, 5) > 0.5, 1),
    "boxes": lambda w: w.add_image_with_boxes("i", bytes_(3, 20, 20), BOXES.astype(int), 1, labels=("a", "b")), "gray boxes": lambda w: w.add_image_with_boxes("i", random(1, 20, 20), BOXES, 1),
    "no boxes": lambda w: w.add_image_with_boxes("i", random(3, 20, 20), np.zeros((0, 4)), 1), "small boxes": lambda w: w.add_image_with_boxes("i", random(20, 20, 3), BOXES, 1, rescale=0.5, dataformats="HWC"),
    "one label too few": lambda w: w.add_image_with_boxes("i", random(3, 20, 20), BOXES, 1, labels=["a"]),
    "float sound": sound(WAVE.astype(np.float32)), "half sound": sound(WAVE.astype(np.float16)), "short sound": sound(np.arange(-4, 4).astype(np.int16)), "loud": sound(torch.tensor(WAVE * 3)), "row": sound(WAVE[None], sample_rate=16000),
    "full scale": sound(np.array([1.0, -1.0, 0.99999, 2**-16])), "whole numbers": sound(np.array([0, 1, -1])),
    "no text": lambda w: w.add_text("t", "", 1), "numpy text": lambda w: w.add_text("t", np.str_("✓"), 1),
    **{f"tensor of {kind}": lambda w, kind=kind: w.add_tensor("t", torch.tensor([[0], [1]]).to(getattr(torch, kind)), 1) for kind in ("float32", "float64", "int8", "int16", "int32", "int64", "bool", "complex64", "complex128")},
    "no dimension": lambda w: w.add_tensor("t", torch.tensor(3.5), 1), "no element": lambda w: w.add_tensor("t", torch.zeros(0, 3), 1),
    "bool labels": curve(LABELS.astype(bool), SCORES), "five thresholds": curve(LABELS, SCORES, num_thresholds=5), "too many thresholds": curve(LABELS, SCORES, num_thresholds=999), "weights": curve(LABELS, SCORES, weights=np.arange(5.0)),
    "one weight": curve(LABELS, SCORES, weights=2.0), "0 and 1": curve(np.array([0, 1]), np.array([0.0, 1.0])), "a hair above": curve(LABELS, SCORES + 0.1 + 1e-8), "no examples": curve(LABELS[:0], SCORES[:0]), "column": curve(LABELS[:, None], SCORES[:, None]),
    "float32 scores": curve(LABELS, SCORES.astype(np.float32)), "soft labels": curve(LABELS * 0.5, SCORES), "none positive": curve(LABELS * 0, SCORES), "raw curve": lambda w: w.add_pr_curve_raw("p", *[np.arange(999.0)] * 6, 1, num_thresholds=999),
    "numbers as labels": points(metadata=list(range(6))), "no labels at all": points(metadata=[None] * 6), "table": points(metadata=[("x", 1)] * 6, metadata_header=("a", "b")), "one column": points(metadata=list("abcdef"), metadata_header=["x"]),
    "gray sprites": points(label_img=torch.tensor(random(6, 1, 4, 5))), "late step": points(global_step=123456), "step below zero": points(global_step=-1), "odd tag": points(tag="a/b c%d\\e\"ü"),
    "doubles": lambda w: w.add_embedding(random(6, 3).astype(float) * np.pi), "two embeddings": lambda w: [w.add_embedding(torch.eye(3), tag=name, global_step=1) for name in "ab"],
    "hparams": trial({"z": 0.1, "a": 3, "s": "x", "none": None}, {"y": 1, "b": np.float32(0.5)}, {"a": [1, 3], "s": ["x", "y"]}), "tensor hparams": trial({"lr": torch.tensor([0.5])}, {"m": torch.tensor(1.0)}), "no hparams": trial({}, {}),
    "NaN metric": trial({"a": float("nan")}, {"m": float("nan")}, global_step=7), "hparams deeper": trial({"ü": "✓"}, {"ä": 1}, run_name="x/y"),
    "layout": lambda w: w.add_custom_scalars({"c": {"t": ("Multiline", ("a", "b")), "u": ["Margin", ["a", "b", "c"]]}, "empty": {}}), "no layout": lambda w: w.add_custom_scalars({}),
    "multiline": lambda w: w.add_custom_scalars_multilinechart(["a", "b"], "cat", "title"), "margin": lambda w: w.add_custom_scalars_marginchart(["a", "b", "c"]),
    "meshes": mesh(random(2, 4, 3)), "mesh of lists": mesh(random(1, 4, 3).tolist()), "mesh of integers": mesh(np.ones((1, 4, 3), int), faces=torch.tensor([[[0, 1, 2]]]), colors=random(1, 4, 3)), "mesh without": mesh(random(1, 0, 3), config_dict={}),
    "mesh config": mesh(random(1, 4, 3), config_dict={"b": 1, "a": [2]}), "own summaries": own_summaries, "after close": lambda w: (w.close(), w.add_scalar("x", 1.0, 1), w.close(), w.add_text("t", "y", 2)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_odd_input_is_written_as_torch_writes_it(tmp_path: Path, name: str) -> None:
    for who, writer in (("torch", TorchWriter), ("ours", SummaryWriter)):
        with writer(str(tmp_path / who)) as w, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            CALLS[name](w)
    assert contents(tmp_path / "ours") == contents(tmp_path / "torch")


def test_purge_step_is_written_as_torch_writes_it(tmp_path: Path) -> None:
    for who, writer in (("torch", TorchWriter), ("ours", SummaryWriter)):
        with writer(str(tmp_path / who), purge_step=7, filename_suffix=".mine") as w:
            w.add_scalar("x", 1.0, 7)
        (path,) = (tmp_path / who).iterdir()
        assert path.name.endswith(".mine")
    assert contents(tmp_path / "ours") == contents(tmp_path / "torch")


def test_tensorboardx_arguments_are_accepted(tmp_path: Path) -> None:
    with SummaryWriter(logdir=tmp_path) as w:
        w.add_video("v", bytes_(1, 4, 4, 3, 2), 1, dataformats="NHWCT")
        w.add_hparams({"lr": 0.1}, {"m": 1.0}, name="trial", global_step=3)
    found = contents(tmp_path)
    (video,) = found["."]
    assert video[-2][:4] == (4, 4, 3, "GIF")
    assert len(video[-2][-1]) == 2
    assert found["trial"][-1][:2] == (3, "m")


def test_writer_without_disk_accepts_every_call(tmp_path: Path) -> None:
    folder = tmp_path / "rank1"
    with SummaryWriter(folder, write_to_disk=False) as w, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for log in CALLS.values():
            log(w)
        w.add_scalars_dict({"a": 1.0}, 1)
        w.flush()
        with pytest.raises(ValueError, match="must name each axis"):
            w.add_image("i", random(3, 4, 4), dataformats="?")
    assert not folder.exists()


def test_masked_values_and_steps_in_buffers_are_stored_as_torch_stores_them(tmp_path: Path) -> None:
    for who, kind in (("torch", TorchWriter), ("ours", SummaryWriter)):
        with kind(str(tmp_path / who)) as writer, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy warns about masked values
            writer.add_scalar("x", np.ma.masked_array([1.5], mask=[True]), bytearray(b"2"))
            writer.add_scalar("x", np.ma.masked_array([1.5], mask=[False]), 3)
    assert contents(tmp_path / "ours") == contents(tmp_path / "torch")
