"""`add_scalar`, in every style of calling it."""

from __future__ import annotations

import inspect
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lossboard import SummaryWriter
from lossboard.events.summary import Value
from writer.read_events import events, scalars

WAYS: dict[str, Callable[[Any], None]] = {
    "by position": lambda w: w.add_scalar("loss", 0.5, 7, 1.5e9),
    "by name": lambda w: w.add_scalar(walltime=1.5e9, global_step=7, scalar_value=0.5, tag="loss"),
    "mixed": lambda w: w.add_scalar("loss", 0.5, walltime=1.5e9, global_step=7),
    "defaults": lambda w: w.add_scalar("loss", 0.5, 7, 1.5e9, False, False),
    "double": lambda w: w.add_scalar("loss", 0.5, 7, 1.5e9, double_precision=True),
    "unpacked": lambda w: w.add_scalar("loss", 0.5, **{"".join(["global_", "step"]): 7, "walltime": 1.5e9}),
    "numpy": lambda w: w.add_scalar(np.str_("loss"), np.float32(0.5), np.int64(7), np.float64(1.5e9)),
    "torch": lambda w: w.add_scalar("loss", torch.tensor(0.5, requires_grad=True), torch.tensor(7), 1_500_000_000),
    "bound": lambda w: (log := w.add_scalar) and log("loss", 0.5, 7, 1.5e9),
    "of the class": lambda w: SummaryWriter.add_scalar(w, "loss", 0.5, 7, 1.5e9),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_add_scalar_logs_the_same_for_every_call_style(tmp_path: Path, way: str) -> None:
    with SummaryWriter(tmp_path) as writer:
        WAYS[way](writer)
    (point,) = [event for event in events(tmp_path) if event.values]
    value = Value.parse(point.values[0])
    assert (value.tag, point.step, point.wall_time) == ("loss", 7, 1.5e9)
    assert struct.unpack("<f", value.body) == (0.5,)


@pytest.mark.parametrize(
    ("given", "kept"),
    [(True, 1.0), (3, 3.0), (2**60, 2.0**60), (10**30, np.float32(1e30)), (1e300, np.inf), (np.float64(0.25), 0.25)],
)
def test_add_scalar_accepts_number_types(tmp_path: Path, given: Any, kept: float) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", given, True)
        writer.add_scalar("x", given)
    assert scalars(tmp_path)["x"] == [(1, kept), (0, kept)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda w: w.add_scalar("x"), r"add_scalar\(\) missing 1 required positional argument: 'scalar_value'"),
        (lambda w: w.add_scalar(), r"add_scalar\(\) missing 2 required"),
        (lambda w: w.add_scalar("x", 1.0, step=3), r"add_scalar\(\) got an unexpected keyword argument 'step'"),
        (lambda w: w.add_scalar("x", 1.0, 1, tag="y"), r"add_scalar\(\) got multiple values for argument 'tag'"),
        (lambda w: w.add_scalar("x", 1.0, 1, None, False, False, 3), r"add_scalar\(\) takes from 3 to 7 positional"),
    ],
)
def test_add_scalar_with_wrong_arguments_raises_pythons_own_message(
    tmp_path: Path, call: Callable[[Any], None], message: str
) -> None:
    writer = SummaryWriter(tmp_path)
    with pytest.raises(TypeError, match=message):
        call(writer)
    writer.close()
    assert scalars(tmp_path) == {}


def test_add_scalar_looks_like_a_python_method() -> None:
    names = list(inspect.signature(SummaryWriter.add_scalar).parameters)
    assert names[:4] == ["self", "tag", "scalar_value", "global_step"]
    assert inspect.getdoc(SummaryWriter.add_scalar).startswith("Logs one point of a series.")


def test_subclass_can_override_add_scalar(tmp_path: Path) -> None:
    class Prefixed(SummaryWriter):
        def add_scalar(self, tag: str, *args: Any, **kwargs: Any) -> None:
            super().add_scalar(f"train/{tag}", *args, **kwargs)

    with Prefixed(tmp_path) as writer:
        writer.add_scalar("loss", 0.5, global_step=1)
    assert scalars(tmp_path) == {"train/loss": [(1, 0.5)]}


def test_subclass_can_have_another_base(tmp_path: Path) -> None:
    class Module(torch.nn.Module, SummaryWriter):
        def __init__(self) -> None:
            torch.nn.Module.__init__(self)
            SummaryWriter.__init__(self, tmp_path)

    writer = Module()
    writer.add_scalar("loss", 0.5, 1)
    writer.close()
    assert scalars(tmp_path) == {"loss": [(1, 0.5)]}


@pytest.mark.parametrize("new_style", [False, True])
def test_add_scalar_accepts_tensorboardx_names_and_descriptions(tmp_path: Path, new_style: bool) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", 0.5, 1, new_style=new_style, display_name="Loss", summary_description="*mean*")
    (point,) = [event for event in events(tmp_path) if event.values]
    metadata = Value.parse(point.values[0]).metadata
    assert (metadata.plugin, metadata.display_name, metadata.description) == ("scalars", "Loss", "*mean*")


def test_writer_without_init_raises() -> None:
    with pytest.raises(AttributeError, match="_file"):
        SummaryWriter.__new__(SummaryWriter).add_scalar("x", 1.0)
