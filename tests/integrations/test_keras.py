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


def test_defaults_log_epochs_and_evaluate(folder: Path) -> None:
    found = scalars(folder / "defaults")
    by_epoch = {"train/loss", "train/mae", "val/loss", "val/mae", "train/learning_rate"}
    assert set(found) == by_epoch | {"evaluation/loss", "evaluation/mae"}
    assert [step for step, _ in found["train/loss"]] == [0, 1]
    assert [step for step, _ in found["evaluation/loss"]] == [8], "the optimizer's iterations"


def test_evaluate_without_fit_is_logged(folder: Path) -> None:
    assert {tag: len(points) for tag, points in scalars(folder / "evaluated").items()} == {
        "evaluation/loss": 1,
        "evaluation/mae": 1,
    }


def test_copies_of_the_callback_log_to_its_directory(folder: Path) -> None:
    files = list((folder / "copies").iterdir())
    assert len([path for path in files if b"train/loss" in path.read_bytes()]) == 2


def test_every_argument_of_keras_own_callback_works(folder: Path) -> None:
    found = scalars(folder / "everything")
    assert [step for step, _ in found["batch/loss"]] == list(range(8))
    assert len(found["batch/steps_per_second"]) == 8
    assert len(found["train/steps_per_second"]) == 2
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    index = {(series.plugin, series.tag) for series in logdir.runs["everything"].index()}
    assert {tag for plugin, tag in index if plugin == "images"} == {
        f"{tag}/image" for plugin, tag in index if plugin == "histograms"
    }
    words = folder / "everything" / "00001" / "words"
    assert (words / "metadata.tsv").read_text().split() == list("abcde")
    assert list((folder / "everything" / "plugins" / "profile").rglob("*.xplane.pb"))


def test_arguments_match_keras_own_callback() -> None:
    import inspect

    import keras

    from lossboard.integrations.keras import LossboardCallback

    theirs = inspect.signature(keras.callbacks.TensorBoard.__init__).parameters
    ours = inspect.signature(LossboardCallback.__init__).parameters
    assert list(ours) == list(theirs)
    defaults = {name: parameter.default for name, parameter in theirs.items() if name != "log_dir"}
    assert {name: ours[name].default for name in defaults} == defaults
    with pytest.raises(ValueError, match="update_freq must be"):
        LossboardCallback(update_freq="often")
    for batches in ((3, 2), (), (1, 2, 3), -1, None, 1.5):
        with pytest.raises(ValueError, match="profile_batch must be"):
            LossboardCallback(profile_batch=batches)


def test_guard_stops_a_training_whose_loss_is_nan(folder: Path) -> None:
    assert [step for step, _ in scalars(folder / "guarded")["train/loss"]] == [0]
