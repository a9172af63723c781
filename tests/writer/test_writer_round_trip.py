"""The reader returns exactly what the writer logged."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lossboard import SummaryWriter
from lossboard.kinds.attention.decode import attentions
from lossboard.kinds.hparams.decode import sessions
from lossboard.kinds.tensors.decode import tensors
from lossboard.kinds.text.decode import text
from lossboard.store.logdir import Logdir
from lossboard.store.run import Run

steps = st.integers(-(2**63), 2**63 - 1)
tags = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
walls = st.floats(allow_nan=False, allow_infinity=False)


def read(folder: Path) -> Run:
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    return logdir.runs["."]


def same(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))


@settings(max_examples=150)
@given(points=st.dictionaries(steps, st.tuples(st.floats(width=32), walls), min_size=1, max_size=5), tag=tags)
def test_scalars_round_trip(points: dict[int, tuple[float, float]], tag: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            for step in sorted(points):
                writer.add_scalar(tag, points[step][0], step, walltime=points[step][1])
        column = read(Path(folder)).column(tag)
    assert column.steps.tolist() == sorted(points)
    assert column.wall_times.tolist() == [points[step][1] for step in sorted(points)]
    assert all(same(value, points[step][0]) for step, value in zip(sorted(points), column.values, strict=True))


@settings(max_examples=50)
@given(value=st.floats(), step=steps)
def test_double_precision_round_trip(value: float, step: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            writer.add_scalar("x", value, step, new_style=True, double_precision=True)
        column = read(Path(folder)).column("x")
    assert column.steps.tolist() == [step]
    assert same(float(column.values[0]), value)


@settings(max_examples=50)
@given(values=st.dictionaries(tags, st.floats(width=32), max_size=12))
def test_dict_of_scalars_is_one_record(values: dict[str, float]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            writer.add_scalars_dict(values, 7)
        run = read(Path(folder))
        for tag, value in values.items():
            assert same(float(run.column(tag).values[0]), value)
            assert run.column(tag).steps.tolist() == [7]


@settings(max_examples=30)
@given(content=st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_text_round_trip(content: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            writer.add_text("notes", content, 3)
        (point,) = text(read(Path(folder)), "notes/text_summary")
    assert (point.step, list(point.texts)) == (3, [content])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "bool", "complex64"])
def test_tensors_round_trip(tmp_path: Path, dtype: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    with SummaryWriter(tmp_path) as writer:
        writer.add_tensor("t", array, 1)
    (point,) = tensors(read(tmp_path), "t")
    assert (point.dtype, tuple(point.shape)) == (dtype, (2, 3))
    assert np.array_equal(point.array(), array)


def test_bfloat16_tensors_keep_their_values(tmp_path: Path) -> None:
    import torch

    tensor = torch.tensor([1.5, -2.25, 3e38], dtype=torch.bfloat16)
    with SummaryWriter(tmp_path) as writer:
        writer.add_tensor("t", tensor, 1)
    (point,) = tensors(read(tmp_path), "t")
    assert point.array().tolist() == tensor.tolist()


def test_attention_round_trip(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    weights = np.zeros((2, 3, 5, 5), np.float32)  # the last position is padding
    weights[..., :4] = rng.dirichlet(np.ones(4), size=(2, 3, 5))
    batch_of_one = tuple(layer[np.newaxis] for layer in weights)
    with SummaryWriter(tmp_path) as writer:
        writer.add_attention("bert", batch_of_one, ["[CLS]", "ein", "Wört", "[SEP]"], 4, statistics=True)
    run = read(tmp_path)
    (point,) = attentions(run, "bert")
    assert point.tokens == ("[CLS]", "ein", "Wört", "[SEP]")
    assert (point.layers, point.heads) == (2, 3)
    assert np.abs(point.weights - weights[:, :, :4, :4]).max() < 0.004
    assert run.column("bert/sink/layer1/head2").values[0] == pytest.approx(weights[1, 2, :4, 0].mean(), abs=1e-6)
    assert run.column("bert/entropy/layer0/head0").steps.tolist() == [4]
    places = np.arange(4)
    far = (weights[0, 1, :4, :4] * np.abs(places[:, None] - places)).sum(-1).mean()
    assert run.column("bert/distance/layer0/head1").values[0] == pytest.approx(far, rel=1e-5)


def test_hparams_keep_bools(tmp_path: Path) -> None:
    given_: dict[str, Any] = {"lr": 0.1, "steps": 3, "amp": True, "fast": False, "opt": "adam", "none": None}
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(given_, {"hparam/accuracy": 0.5}, {"opt": ["adam", "sgd"]}, run_name="trial", global_step=2)
    run = read(tmp_path / "trial")
    (found,) = sessions(run)
    assert found.hparams == {"lr": 0.1, "steps": 3, "amp": True, "fast": False, "opt": "adam"}
    assert [type(found.hparams[name]) for name in ("amp", "fast")] == [bool, bool]
    assert run.column("hparam/accuracy").steps.tolist() == [2]


def test_config_is_text_and_hparams(tmp_path: Path) -> None:
    config = {
        "optimizer": {"name": "adam", "lr": 1e-3, "betas": (0.9, 0.999)},
        "amp": True,
        "seed": None,
        "path": Path("x"),
    }
    with SummaryWriter(tmp_path) as writer:
        writer.add_config(config)
    run = read(tmp_path)
    (shown,) = text(run, "config/text_summary")
    assert '"name": "adam"' in shown.texts[0]
    assert next(iter(sessions(run))).hparams == {
        "optimizer.name": "adam",
        "optimizer.lr": 1e-3,
        "optimizer.betas": "(0.9, 0.999)",
        "amp": True,
        "path": "x",
    }


def test_purge_step_supersedes_points_of_a_crashed_process(tmp_path: Path) -> None:
    for first, purge in ((0, None), (5, 5), (3, 3)):
        with SummaryWriter(tmp_path, purge_step=purge) as writer:
            for step in range(first, 8):
                writer.add_scalar("x", first, step)
                if first == 0:
                    writer.add_scalar("only at first", 1.0, step)
    run = read(tmp_path)
    assert run.column("x").values.tolist() == [0, 0, 0, 3, 3, 3, 3, 3]
    assert run.column("only at first").steps.tolist() == [0, 1, 2]
