"""Routes of tensors."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fake_run import tensor_value
from lossboard.errors import UsageError
from lossboard.events.summary import encode_metadata, encode_value
from lossboard.events.tensors import encode_array, encode_strings
from lossboard.store.logdir import Logdir
from lossboard.store.run_ids import run_id
from tests.kinds.views import call_route, log_values, open_logdir

RUN = run_id("run")
CUBE = np.random.default_rng(0).normal(size=(3, 40, 30)).astype(np.float32)


@pytest.fixture
def logdir(tmp_path: Path) -> Logdir:
    cubes = [(step, tensor_value("cube", "mine", encode_array(CUBE * (step + 1)))) for step in range(5)]
    names = tensor_value("names", "mine", encode_strings([b"a" * 500, b"\xff", b"<b>", b"d"], (2, 2)))
    bare = encode_value("nothing", None, metadata=encode_metadata("mine", b"content"))
    changed = [(0, encode_array([1.0, 2.0])), (1, encode_array([[1.0]])), (2, encode_strings([b"x"]))]
    shapes = [(step, tensor_value("shapes", "mine", value)) for step, value in changed]
    log_values(tmp_path / "run", *cubes, (0, names), (0, bare), *shapes)
    return open_logdir(tmp_path)


def place(tag: str, step: int = 0, **more: Any) -> dict[str, Any]:
    return {"run": RUN, "tag": tag, "step": step, **more}


def test_series_have_types_and_shapes(logdir: Logdir) -> None:
    found = {one["tag"]: one for one in call_route(logdir, "tensors", "series").document["series"]}
    assert (found["cube"]["dtype"], found["cube"]["shape"], found["cube"]["steps"]) == (
        "float32",
        [3, 40, 30],
        [0, 1, 2, 3, 4],
    )
    assert "has no tensor, only metadata" in found["nothing"]["broken"]
    assert found["names"]["dtype"] == "string"


def test_slice_is_exact_if_it_fits(logdir: Logdir) -> None:
    response = call_route(logdir, "tensors", "slice", **place("cube", 1, index=[2, None, None]))
    assert (response.head["exact"], response.head["size"]) == (True, (40, 30))
    np.testing.assert_array_equal(response.tables[0]["value"].reshape(40, 30), CUBE[2] * 2)


def test_large_slice_is_reduced_and_a_window_of_it_is_not(logdir: Logdir) -> None:
    head = call_route(logdir, "tensors", "slice", **place("cube", rows=10, columns=10)).head
    assert (head["exact"], head["rows"], head["columns"], head["size"]) == (False, 10, 10, (40, 30))
    window = call_route(logdir, "tensors", "slice", **place("cube", rows=10, columns=10, window=[5, 15, 20, 30]))
    assert (window.head["exact"], window.head["window"]) == (True, (5, 15, 20, 30))
    np.testing.assert_array_equal(window.tables[0]["value"].reshape(10, 10), CUBE[0, 5:15, 20:30])


def test_strings_are_texts_and_long_ones_are_cut(logdir: Logdir) -> None:
    head = call_route(logdir, "tensors", "slice", **place("names")).head
    assert head["texts"] == ["a" * 200 + "…", "\ufffd", "<b>", "d"]


def test_statistics_of_the_tensor_and_of_a_slice(logdir: Logdir) -> None:
    whole = call_route(logdir, "tensors", "statistics", **place("cube")).document
    part = call_route(logdir, "tensors", "statistics", **place("cube", index=[1, None, None])).document
    assert (whole["elements"], part["elements"]) == (3600, 1200)
    assert part["max"] == pytest.approx(CUBE[1].max())


def test_history_skips_steps_of_another_shape_or_type(logdir: Logdir) -> None:
    response = call_route(logdir, "tensors", "history", run=RUN, tag="cube", index=[1, None, None])
    np.testing.assert_allclose(response.tables[0]["std"], CUBE[1].std(dtype=np.float64) * np.arange(1, 6), rtol=1e-5)
    mixed = call_route(logdir, "tensors", "history", run=RUN, tag="shapes", index=[None])
    assert (mixed.head["steps"], mixed.head["skipped"], mixed.tables[0]["step"].tolist()) == (3, 2, [0])


@pytest.mark.parametrize("step", [0, "4"])
def test_npy_is_the_tensor(logdir: Logdir, step: Any) -> None:
    result = call_route(logdir, "tensors", "npy", **place("cube", step))
    np.testing.assert_array_equal(np.load(io.BytesIO(b"".join(result.parts))), CUBE * (int(step) + 1))
    assert result.filename == f"cube-{step}.npy"


def test_npy_of_strings_raises(logdir: Logdir) -> None:
    with pytest.raises(UsageError, match="pickle"):
        call_route(logdir, "tensors", "npy", **place("names"))
