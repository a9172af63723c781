"""TensorFlow engine: the same loss as torch, and the same weights for any split of a step."""

import itertools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from lossboard.errors import UsageError
from lossboard.train import finetune
from lossboard.train.config import Config
from lossboard.train.engines import keras_engine
from lossboard.train.findings import TrainingStopped
from lossboard.train.memory import micro_batch as micro_batch_module
from lossboard.train.memory.device import DeviceMemory
from lossboard.train.models.keras_model import Weight, array_of, load_classifier, read_tensors
from lossboard.train.models.keras_optimizer import SGD
from lossboard.train.models.tensorflow_import import keras
from lossboard.train.runner import train_run
from lossboard.train.runs.run_dir import RunDir, new_run
from lossboard.train.schedules import lr_factor
from lossboard.train.tasks.metrics import log_softmax
from lossboard.train.tasks.task import Evaluation, Outputs

pytestmark = pytest.mark.tensorflow
ROOT = Path(__file__).parents[2]
TORCH_PYTHON = ROOT / ".venv" / "bin" / "python"


@dataclass(frozen=True)
class Trained:
    run: RunDir
    result: Evaluation

    @property
    def loss(self) -> float:
        return self.result.metrics()["loss"]

    @property
    def weights(self) -> dict[str, np.ndarray]:
        return read_tensors([self.run.checkpoints / "last" / "model.safetensors"])


@pytest.fixture(scope="module")
def config(checkpoint: Path, examples: Path, tmp_path_factory: pytest.TempPathFactory) -> Config:
    """Returns a config with four steps of 13 examples of unequal length; 13 does not divide evenly."""
    return Config(
        engine="tensorflow",
        model=str(checkpoint),
        data=examples,
        val_fraction=0.5,
        max_length=16,
        batch_size=13,
        epochs=1,
        max_steps=4,
        learning_rate=1e-2,
        warmup=0.0,
        schedule="constant",
        eval_interval=0,
        eval_iters=2,
        detail_interval=2,
        histogram_interval=2,
        runs_dir=tmp_path_factory.mktemp("runs"),
    )


def train(config: Config, **options: Any) -> Trained:
    run = new_run(config)
    return Trained(run, keras_engine.train(config, run, **options))


@pytest.fixture(scope="module")
def whole(config: Config) -> Trained:
    return train(config)


def assert_same(one: Trained, other: Trained, *, within: float) -> None:
    # Attention does not depend on the key's bias: its gradient is rounding noise, which Adam blows up to full steps.
    telling = {name: weight for name, weight in one.weights.items() if not name.endswith("key.bias")}
    for name, weight in telling.items():
        np.testing.assert_allclose(other.weights[name], weight, atol=within, err_msg=name)


# ---- against torch --------------------------------------------------------------------------------------------------

TORCH_SIDE = """
import json, sys, torch
from transformers import AutoModelForSequenceClassification
asked = json.load(sys.stdin)
model = AutoModelForSequenceClassification.from_pretrained(asked["folder"]).eval()
arrays = {name: torch.tensor(value) for name, value in asked["inputs"].items()}
out = model(**arrays, labels=torch.tensor(asked["labels"]))
print(json.dumps({"loss": out.loss.item(), "logits": out.logits.tolist()}))
"""


def torch_side(folder: Path, inputs: dict[str, np.ndarray], labels: list[int]) -> dict[str, Any]:
    """Returns the loss and logits that torch computes for the same checkpoint and batch, in its own environment."""
    if not TORCH_PYTHON.exists():
        pytest.skip("needs the torch environment (.venv) beside this one")
    asked = {"folder": str(folder), "inputs": {k: v.tolist() for k, v in inputs.items()}, "labels": labels}
    environment = os.environ | {"HF_HUB_OFFLINE": "1"}
    child = subprocess.run(
        [TORCH_PYTHON, "-c", TORCH_SIDE], input=json.dumps(asked), capture_output=True, text=True, env=environment
    )
    assert child.returncode == 0, child.stderr
    answer: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    return answer


def test_trained_checkpoint_has_the_same_loss_in_torch(whole: Trained, config: Config) -> None:
    folder = whole.run.checkpoints / "last"
    rng = np.random.default_rng(3)
    ids, mask = rng.integers(5, 40, (6, 10)), np.ones((6, 10), int)
    ids[2:, 7:] = mask[2:, 7:] = 0
    types = np.zeros_like(ids)
    types[:, 4:] = 1
    labels = [0, 1, 1, 0, 1, 0]
    expected = torch_side(folder, {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}, labels)
    inputs = {"token_ids": ids, "segment_ids": types, "padding_mask": mask}
    logits = array_of(load_classifier(folder, config, classes=2).model(inputs)[0])
    np.testing.assert_allclose(logits, expected["logits"], atol=1e-5)
    assert -log_softmax(logits)[np.arange(6), labels].mean() == pytest.approx(expected["loss"], abs=1e-5)

    settings = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(settings | {"hidden_act": "gelu_new"}))
    approximate = array_of(load_classifier(folder, config, classes=2).model(inputs)[0])
    assert np.abs(approximate - logits).max() > 5e-5, "the test would not see KerasHub's own GELU"


# ---- the same step, for any split -----------------------------------------------------------------------------------


def test_two_replicas_give_the_result_of_one(whole: Trained, config: Config) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    assert_same(train(config.replace(micro_batch_size=5), strategy=strategy), whole, within=1e-5)


def test_two_workers_give_the_result_of_one(whole: Trained, config: Config, capfd: pytest.CaptureFixture[str]) -> None:
    run = finetune(config, workers=2).run
    output = capfd.readouterr()
    assert "crash" not in output.err and "oneDNN" not in output.err and "absl" not in output.err, output.err
    assert_same(Trained(run, whole.result), whole, within=1e-5)
    assert list(run.logs(rank=1).glob("*tfevents*")), "each worker logs to its own directory"


def test_resumed_run_ends_with_the_same_weights(config: Config) -> None:
    drops = config.replace(dropout=0.1)
    through = train(drops)
    half = train(drops.replace(max_steps=2))
    resumed = Trained(half.run, keras_engine.train(drops, half.run, resume=True))
    assert_same(resumed, through, within=0.0)


def raises_oom_above(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    """Lets micro-batches of more than `limit` examples run out of memory, in each way that TensorFlow has."""
    errors = itertools.cycle(
        [
            tf.errors.ResourceExhaustedError(None, None, "OOM when allocating tensor\nwith a long graph"),
            MemoryError("std::bad_alloc"),
            np._core._exceptions._ArrayMemoryError((1 << 40,), np.dtype("f4")),
        ]
    )
    add = keras_engine.KerasEngine._add_pieces

    def limited(self: Any, pieces: Any, total: int) -> Any:
        if len(pieces[0][0]) > limit:
            raise next(errors)
        return add(self, pieces, total)

    monkeypatch.setattr(keras_engine.KerasEngine, "_add_pieces", limited)


def found(run: RunDir) -> list[str]:
    return [json.loads(line)["code"] for line in (run.path / "findings.jsonl").read_text().splitlines()]


def test_oom_halves_the_micro_batch_and_gives_the_same_weights(
    whole: Trained, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    raises_oom_above(monkeypatch, 2)
    trained = train(config)
    assert_same(trained, whole, within=1e-5)
    assert found(trained.run) == ["memory"] * 3, "13, 6 and 3 do not fit"


def test_oom_with_one_example_stops_with_a_finding(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    raises_oom_above(monkeypatch, 0)
    run = new_run(config.replace(batch_size=2))
    with pytest.raises(TrainingStopped, match=r"Not even one example fits in memory.*\(std::bad_alloc\)"):
        train_run(run, resume=False)
    assert found(run) == ["memory", "does-not-fit"]


def test_oom_outside_of_a_step_stops_with_a_finding(
    config: Config, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*args: Any, **keywords: Any) -> None:
        raise MemoryError("std::bad_alloc")

    monkeypatch.setattr(keras_engine, "Feed", full)
    run = new_run(config)
    with pytest.raises(TrainingStopped, match=r"Memory ran out, so training stopped \(std::bad_alloc\)"):
        train_run(run, resume=False)
    assert found(run) == ["does-not-fit"]


def test_oom_in_an_evaluation_uses_smaller_batches(
    whole: Trained, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    predict = keras_engine.KerasEngine._predict

    def limited(self: Any, data: Any, rows: Any, micro_batch: int) -> Outputs:
        if micro_batch > 4:
            raise MemoryError("std::bad_alloc")
        return predict(self, data, rows, micro_batch)

    monkeypatch.setattr(keras_engine.KerasEngine, "_predict", limited)
    assert train(config).loss == pytest.approx(whole.loss, abs=1e-5)


def test_micro_batch_is_reduced_if_the_memory_plan_does_not_fit(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = DeviceMemory("cpu", total_bytes=2**25, free_bytes=2**20, limited_by="the container's limit")
    monkeypatch.setattr(micro_batch_module, "cpu_memory", lambda: small)
    trained = train(config.replace(max_steps=1))
    assert found(trained.run) == ["memory"]
    assert json.loads((trained.run.checkpoints / "last/state.json").read_text())["micro_batch"] == 1


def test_exponential_schedule_matches_keras() -> None:
    import keras

    rates = keras.optimizers.schedules.ExponentialDecay(3e-5, decay_steps=10, decay_rate=0.96, staircase=True)
    config = Config(warmup=0.0, schedule="exponential", decay_steps=10, decay_rate=0.96, staircase=True)
    ours = [3e-5 * lr_factor(config, step, total_steps=40) for step in range(40)]
    np.testing.assert_allclose(ours, [float(rates(step)) for step in range(40)], rtol=1e-6)


# ---- precision and settings -----------------------------------------------------------------------------------------


def test_half_precision_reaches_a_similar_loss(whole: Trained, config: Config) -> None:
    half = train(config.replace(precision="fp16"))
    assert half.loss == pytest.approx(whole.loss, abs=0.05)
    assert all(weight.dtype == np.float32 for weight in half.weights.values())


def test_frozen_layers_do_not_change(checkpoint: Path, config: Config) -> None:
    before = read_tensors([checkpoint / "model.safetensors"])
    after = train(config.replace(frozen_layers=1, max_steps=1)).weights
    moved = {name for name, weight in before.items() if not np.array_equal(after[name], weight)}
    assert "bert.encoder.layer.1.output.dense.weight" in moved
    assert not [name for name in moved if name.startswith(("bert.embeddings", "bert.encoder.layer.0."))]


def test_missing_torch_is_reported_before_a_run_is_created(config: Config, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--engine torch needs torch and transformers: pip install"):
        finetune(config, engine="torch", runs_dir=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_importing_the_package_imports_neither_keras_nor_tensorflow() -> None:
    code = "import sys, lossboard, lossboard.train; print({'keras', 'tensorflow'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_unsupported_settings_are_rejected(config: Config) -> None:
    with pytest.raises(UsageError, match="--lora-rank is not supported by the TensorFlow engine"):
        train(config.replace(lora_rank=4))


def test_sgd_with_class_weights_is_independent_of_micro_batches(config: Config) -> None:
    settings = {"optimizer": "sgd", "learning_rate": 0.1, "class_weights": True, "dropout": 0.0}
    assert_same(train(config.replace(**settings)), train(config.replace(**settings, micro_batch_size=3)), within=1e-5)


def test_sgd_uses_torchs_formula(config: Config) -> None:
    variable = keras.Variable(np.array([1.0, -2.0], np.float32))
    optimizer = SGD([Weight("classifier.weight", variable, inputs=1)], config.replace(optimizer="sgd"))
    value, momentum = np.array([1.0, -2.0]), np.zeros(2)
    for gradient in ([0.5, 1.0], [-1.0, 3.0], [2.0, 0.0]):
        optimizer.apply([tf.constant(gradient)], [variable])
        momentum = 0.9 * momentum + gradient + config.weight_decay * value
        value = value - config.learning_rate * momentum
    np.testing.assert_allclose(array_of(variable), value, rtol=1e-5)
