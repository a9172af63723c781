"""Invalid arguments raise an error that names the value, and write nothing."""
# ruff: noqa: E501 a table

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lossboard import SummaryWriter
from writer.read_events import events

W = Any
MISTAKES: dict[str, tuple[type[Exception], str, Callable[[W], None]]] = {
    "tag": (TypeError, "tag must be a str, got int", lambda w: w.add_scalar(3, 1.0, 1)),
    "text surrogate": (ValueError, "surrogates not allowed", lambda w: w.add_text("t", "\ud800")),
    "3-D scalar": (ValueError, r"one element, got numpy.ndarray of shape \[2, 3, 4\]", lambda w: w.add_scalar("x", np.ones((2, 3, 4)))),
    "tensor scalar": (ValueError, r"one element, got torch.Tensor of shape \[2\]", lambda w: w.add_scalar("x", torch.ones(2))),
    "text scalar": (TypeError, "must be numbers, got str 'high'", lambda w: w.add_scalar("x", "high")),
    "None scalar": (TypeError, "must be numbers", lambda w: w.add_scalar("x", None)),
    "complex scalar": (TypeError, "real numbers", lambda w: w.add_scalar("x", 1j)),
    "huge scalar": (ValueError, "fit in a float", lambda w: w.add_scalar("x", 10**400)),
    "dict scalar": (TypeError, "must be numbers", lambda w: w.add_scalars_dict({"good": 1.0, "bad": "x"}, 1)),
    "step": (ValueError, "64 bits", lambda w: w.add_scalar("x", 1.0, 2**63)),
    "step NaN": (ValueError, "step must be finite", lambda w: w.add_scalar("x", 1.0, float("nan"))),
    "step text": (TypeError, "must be numbers, got str", lambda w: w.add_scalar("x", 1.0, "one")),
    "step fraction as text": (TypeError, "A step must be numbers, got str '2.7'", lambda w: w.add_scalar("x", 1.0, "2.7")),
    "wall time text": (TypeError, "wall time must be a number, seconds since 1970, got str", lambda w: w.add_scalar("x", 1.0, 1, "now")),
    "step list": (ValueError, r"A step must have one element, got list of shape \[2\]", lambda w: w.add_text("x", "y", [1, 2])),
    "scalars list": (TypeError, "tag_scalar_dict must be a dictionary, got list", lambda w: w.add_scalars("x", [1.0], 1)),
    "dict list": (TypeError, "must be a dictionary, got list", lambda w: w.add_scalars_dict([1.0], 1)),
    "scalars": (TypeError, "must be numbers", lambda w: w.add_scalars("x", {"a": 1.0, "b": "no"}, 1)),
    "empty histogram": (ValueError, "at least one value", lambda w: w.add_histogram("h", [])),
    "ragged": (ValueError, "regular shape", lambda w: w.add_histogram("h", [[1], [1, 2]])),
    "max_bins": (ValueError, "max_bins must be at least 1", lambda w: w.add_histogram("h", [1], max_bins=0)),
    "raw buckets": (ValueError, "bucket_limits has 2 values and bucket_counts 1", lambda w: w.add_histogram_raw("h", 0, 1, 1, 1, 1, [1, 2], [1])),
    "raw moments": (TypeError, "sum must be numbers, got str", lambda w: w.add_histogram_raw("h", 0, 1, 1, "x", 1, [1], [1])),
    "image None": (TypeError, "An image must be numbers, got NoneType", lambda w: w.add_image("i", None)),
    "image shape": (ValueError, "does not fit dataformats='CHW'", lambda w: w.add_image("i", np.zeros((4, 4)))),
    "image channels": (ValueError, "got 5: is dataformats='CHW' right", lambda w: w.add_image("i", np.zeros((5, 4, 4)))),
    "image axes": (ValueError, "dataformats must name", lambda w: w.add_image("i", np.zeros((3, 4, 4)), dataformats="CHH")),
    "image empty": (ValueError, "needs pixels", lambda w: w.add_image("i", np.zeros((3, 0, 4)))),
    "image text": (TypeError, "must be numbers", lambda w: w.add_image("i", np.full((3, 4, 4), "x"))),
    "boxes": (ValueError, r"shape \[N, 4\]", lambda w: w.add_image_with_boxes("i", np.zeros((3, 4, 4)), np.zeros((1, 3)))),
    "box rescale": (ValueError, "leave a pixel of 4 × 4, got 0", lambda w: w.add_image_with_boxes("i", np.zeros((3, 4, 4)), np.zeros((1, 4)), rescale=0)),
    "figure": (TypeError, "A figure must be matplotlib's, got int", lambda w: w.add_figure("f", 3)),
    "figures": (ValueError, "must have some, of one size", lambda w: w.add_figure("f", [])),
    "video axes": (ValueError, "each axis of a video once", lambda w: w.add_video("v", np.zeros((1, 2, 3, 4, 4)), dataformats="NTHW")),
    "video": (ValueError, r"\[N, T, C, H, W\]", lambda w: w.add_video("v", np.zeros((3, 4, 4)))),
    "video fps": (ValueError, "fps must be positive", lambda w: w.add_video("v", np.zeros((1, 2, 3, 4, 4)), fps=0)),
    "audio": (ValueError, r"\[frames\] or \[frames, 2\], got \[2, 10\]", lambda w: w.add_audio("a", np.zeros((2, 10)))),
    "audio rate": (TypeError, "sample_rate must be numbers, got str", lambda w: w.add_audio("a", np.zeros(9), sample_rate="hi")),
    "text": (TypeError, "Text must be a str, got int", lambda w: w.add_text("t", 3)),
    "mesh": (ValueError, r"\[batch, N, 3\]", lambda w: w.add_mesh("m", np.zeros((4, 3)))),
    "pr shapes": (ValueError, "differ in shape", lambda w: w.add_pr_curve("p", np.zeros(3), np.zeros(4))),
    "pr weights": (ValueError, r"Weights must be one or as many as labels, got labels \[3\]", lambda w: w.add_pr_curve("p", np.zeros(3), np.zeros(3), weights=np.zeros(4))),
    "mesh config": (TypeError, "that JSON can hold", lambda w: w.add_mesh("m", np.zeros((1, 2, 3)), config_dict={"x": object()})),
    "pr raw": (ValueError, "one length", lambda w: w.add_pr_curve_raw("p", [1], [1], [1], [1], [1], [1, 2])),
    "embedding": (ValueError, r"matrix \[points, features\]", lambda w: w.add_embedding(np.zeros(3))),
    "labels": (ValueError, "2 labels for 3 points", lambda w: w.add_embedding(np.zeros((3, 2)), metadata=["a", "b"])),
    "metadata": (TypeError, "a label for each point, got 3", lambda w: w.add_embedding(np.zeros((3, 2)), metadata=3)),
    "header": (ValueError, "the 2 columns of its header", lambda w: w.add_embedding(np.zeros((1, 2)), metadata=[1], metadata_header=["a", "b"])),
    "sprites": (ValueError, "label_img must be", lambda w: w.add_embedding(np.zeros((3, 2)), label_img=np.zeros((2, 3, 4, 4)))),
    "embedding tag": (ValueError, "names a directory", lambda w: w.add_embedding(np.zeros((3, 2)), tag="\0")),
    "hparams": (TypeError, "hparam_dict must be a dictionary, got list", lambda w: w.add_hparams([], {})),
    "hparam metrics": (TypeError, "metric_dict must be a dictionary, got NoneType", lambda w: w.add_hparams({}, None)),
    "hparam metric": (TypeError, "Metric 'm' must be numbers, got str 'x'", lambda w: w.add_hparams({}, {"m": "x"})),
    "hparam name": (TypeError, "name must be a str, got 3", lambda w: w.add_hparams({3: 1}, {})),
    "hparam domain": (TypeError, "hparam_domain_discrete", lambda w: w.add_hparams({"lr": 1}, {}, {"lr": ["a"]})),
    "margin": (ValueError, "three tags", lambda w: w.add_custom_scalars_marginchart(["a", "b"])),
    "layout": (TypeError, "A layout must be a dictionary, got list", lambda w: w.add_custom_scalars([1])),
    "layout chart": (TypeError, "Chart 't' must be", lambda w: w.add_custom_scalars({"c": {"t": 3}})),
    "layout tags": (TypeError, r"needs a list of tags, got \[3\]", lambda w: w.add_custom_scalars_multilinechart([3])),
    "attention": (TypeError, "Attentions must be an array", lambda w: w.add_attention("a", None, ["x"])),
    "tokens": (ValueError, "3 tokens for an attention over 2", lambda w: w.add_attention("a", np.ones((1, 1, 2, 2)), list("abc"))),
    "attention batch": (ValueError, "give one example", lambda w: w.add_attention("a", [np.ones((2, 1, 2, 2))], list("ab"))),
    "graph": (TypeError, "torch module or a Keras model", lambda w: w.add_graph(3)),
    "config": (TypeError, "must be a dictionary", lambda w: w.add_config([])),
    "watch": (TypeError, "needs a torch module", lambda w: w.watch("model")),
    "watch step": (TypeError, "function that returns the current step, got 5", lambda w: w.watch(torch.nn.Linear(1, 1), step=5)),
    "summary": (TypeError, "must be a Summary message, got str: 'loss'", lambda w: w.file_writer.add_summary("loss")),
    "system": (ValueError, "every_secs must be positive", lambda w: w.add_system_metrics(every_secs=0)),
    "watch every": (ValueError, "every must be a positive integer, got 0", lambda w: w.watch(torch.nn.Linear(1, 1), every=0)),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_invalid_argument_raises_and_writes_nothing(tmp_path: Path, name: str) -> None:
    error, message, call = MISTAKES[name]
    writer = SummaryWriter(tmp_path)
    with pytest.raises(error, match=message):
        call(writer)
    assert sum(1 for _ in events(tmp_path)) == 1, "only the version record"
    writer.close()
    assert len(list(tmp_path.rglob("*"))) == 1


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ValueError, "folder of this machine, got 's3://bucket/run'", {"log_dir": "s3://bucket/run"}),
        (ValueError, "folder of this machine", {"log_dir": "runs\0"}),
        (ValueError, "end of a file's name, got 'a/b'", {"filename_suffix": "a/b"}),
        (TypeError, "A step must be numbers, got str 'x'", {"purge_step": "x"}),
    ],
)
def test_invalid_constructor_argument_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception], message: str, arguments: dict[str, Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        SummaryWriter(**arguments)


def test_default_directory_matches_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with SummaryWriter(comment="_lr3") as writer:
        assert writer.get_logdir() == writer.log_dir
    (run,) = (tmp_path / "runs").iterdir()
    assert run.name.endswith("_lr3")
    assert writer.log_dir == f"runs/{run.name}"


def test_signatures_match_torch() -> None:
    import inspect

    from torch.utils.tensorboard import SummaryWriter as TorchWriter

    def parameters(owner: type, name: str) -> list[tuple[str, object]]:
        signature = inspect.signature(getattr(owner, name))
        return [(p.name, p.default) for p in signature.parameters.values()]

    names = [name for name in vars(TorchWriter) if not name.startswith("_")]
    for name in [*names, "__init__"]:
        theirs = parameters(TorchWriter, name)
        ours = parameters(SummaryWriter, name)[: len(theirs)]
        if name == "add_onnx_graph":  # may be passed as onnx_model_file= instead
            theirs, ours = [(n, None) for n, _ in theirs], [(n, None) for n, _ in ours]
        assert ours == theirs, name
