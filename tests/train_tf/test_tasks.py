"""Every task with TensorFlow: any split of a step, exact resuming, and the same numbers as with torch."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import pytest

from lossboard.train import finetune, load
from lossboard.train.config import Config, TaskName
from lossboard.train.engines import keras_engine
from lossboard.train.inference.trained_model import read_rows
from lossboard.train.models.keras_model import read_tensors
from lossboard.train.runs.run_dir import RunDir, new_run
from lossboard.train.tasks import TASKS
from train.task_data import Words, task_records, write_records
from train_tf.conftest import WORDS as KNOWN
from train_tf.test_keras_engine import TORCH_PYTHON

pytestmark = pytest.mark.tensorflow
WORDS = Words(KNOWN[:8], KNOWN[8:16], KNOWN[16:40])
NEW_TASKS = [task for task in get_args(TaskName) if task != "classification"]


@pytest.fixture(params=NEW_TASKS)
def config(request: pytest.FixtureRequest, checkpoint: Path, tmp_path: Path) -> Config:
    task = cast(TaskName, request.param)
    held = write_records(tmp_path / "held-out.jsonl", task_records(task, WORDS, examples=40, seed=9))
    return Config(
        engine="tensorflow",
        model=str(checkpoint),
        task=task,
        data=write_records(tmp_path / "train.jsonl", task_records(task, WORDS)),
        val_data=held,
        max_length=24,
        batch_size=13,
        epochs=1,
        max_steps=4,
        learning_rate=1e-3,
        warmup=0.0,
        schedule="constant",
        eval_interval=0,
        histogram_interval=0,
        probe_interval=0,
        runs_dir=tmp_path / "runs",
    )


def weights(run: RunDir) -> dict[str, np.ndarray]:
    tensors = read_tensors([run.checkpoints / "last" / "model.safetensors"])
    # Attention does not depend on the key's bias: its gradient is rounding noise, which Adam blows up to full steps.
    return {name: weight for name, weight in tensors.items() if not name.endswith("key.bias")}


def difference(one: RunDir, other: RunDir) -> float:
    first, second = weights(one), weights(other)
    assert first.keys() == second.keys()
    return max(float(np.abs(first[name] - second[name]).max()) for name in first)


def test_micro_batches_do_not_change_the_run(config: Config) -> None:
    # Adam would divide gradients that are near zero by themselves.
    sgd = config.replace(optimizer="sgd", dropout=0.0)
    whole = finetune(sgd).run
    assert difference(finetune(sgd.replace(micro_batch_size=5)).run, whole) < 1e-6
    assert difference(finetune(sgd.replace(micro_batch_size=1)).run, whole) < 1e-6


def test_resumed_run_ends_with_the_same_weights(config: Config) -> None:
    drops = config.replace(dropout=0.1)
    through = finetune(drops).run
    half = new_run(drops.replace(max_steps=2))
    keras_engine.train(half.config(), half)
    assert difference(half, through) > 0
    keras_engine.train(drops, half, resume=True)
    assert difference(half, through) == 0


TORCH_SIDE = """
import json, sys
from pathlib import Path
from lossboard.train import load
from lossboard.train.inference.trained_model import read_rows
run, held = sys.argv[1:]
model, table = load(run, engine="torch"), read_rows(Path(held))
evaluation, _ = model.evaluate(table)
print(json.dumps([evaluation.metrics(), list(model.predict(table))]))
"""


def test_torch_gives_the_same_metrics_and_predictions(config: Config) -> None:
    if not TORCH_PYTHON.exists():
        pytest.skip("needs the torch environment (.venv) beside this one")
    assert config.val_data is not None and config.task is not None
    result = finetune(config)
    command = [TORCH_PYTHON, "-c", TORCH_SIDE, str(result.best), str(config.val_data)]
    child = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"HF_HUB_OFFLINE": "1"})
    assert child.returncode == 0, child.stderr
    metrics, predictions = json.loads(child.stdout.splitlines()[-1])
    for name in TASKS[config.task].metrics:
        assert metrics[name] == pytest.approx(result.metrics[name], rel=1e-4, abs=1e-5), name
    assert_close(list(load(result.best, engine="tensorflow").predict(read_rows(config.val_data))), predictions)


def assert_close(ours: Any, theirs: Any) -> None:
    """Compares values of JSON. Numbers may differ by rounding."""
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys()
        for name in ours:
            assert_close(ours[name], theirs[name])
    elif isinstance(ours, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_close(one, other)
    elif isinstance(ours, float):
        assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4)
    else:
        assert ours == theirs
