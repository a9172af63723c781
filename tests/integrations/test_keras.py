"""The callback in a real Keras training, in the TensorFlow environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lossboard.kinds.graphs.decode import graphs
from lossboard.kinds.histograms.decode import histograms
from lossboard.store.logdir import Logdir
from writer.read_events import scalars

pytestmark = pytest.mark.tensorflow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keras")
    script = Path(__file__).with_name("keras_fit.py")
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, env=quiet, timeout=240)
    assert done.returncode == 0, done.stderr
    return folder


def test_callback_logs_a_keras_training(folder: Path) -> None:
    found = scalars(folder / "fit")
    by_epoch = {"train/loss", "train/mae", "val/loss", "val/mae", "train/learning_rate"}
    assert set(found) == by_epoch | {"batch/loss", "batch/mae"}
    assert all([step for step, _ in found[tag]] == [0, 1, 2] for tag in by_epoch)
    assert [step for step, _ in found["batch/loss"]] == [0, 2, 4, 6, 8]
    assert found["train/learning_rate"][0][1] == pytest.approx(0.01)
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    run = logdir.runs["fit"]
    (graph,) = graphs(run, "keras")
    assert any("hidden" in node.name for node in graph.nodes)
    (weights,) = [tag for tag in (series.tag for series in run.index()) if tag.endswith("hidden/kernel")]
    assert histograms(run, weights).steps.tolist() == [0, 1, 2]


def test_writer_accepts_tensorflow_values(folder: Path) -> None:
    assert scalars(folder / "values") == {"eager": [(3, 1.5)], "variable": [(3, 2.5)], "bfloat16": [(3, 0.5)]}
