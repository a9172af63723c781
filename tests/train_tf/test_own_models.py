"""Own heads and own models with Keras: layers and models of a program in place of the kit's."""

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import lossboard
from lossboard.errors import UsageError
from lossboard.train import Config, Hooks, finetune, load, resume
from lossboard.train.models.keras_model import array_of, read_tensors
from train.task_data import Words, task_records, write_records
from train_tf.conftest import WORDS as KNOWN
from train_tf.test_tasks import difference

pytestmark = pytest.mark.tensorflow
WORDS = Words(KNOWN[:8], KNOWN[8:16], KNOWN[16:40])


def dense(*sizes: int) -> list[Any]:
    return [keras.layers.Dense(size, activation="tanh" if size != sizes[-1] else None) for size in sizes]


def own_head() -> Hooks:
    keras.utils.set_random_seed(0)
    return Hooks(head=keras.Sequential(dense(8, 2)))


class BagOfWords(keras.Model):  # type: ignore[misc]
    """A subclassed model, which Keras cannot describe as JSON, with a weight that is not trained."""

    def __init__(self, classes: int = 2) -> None:
        super().__init__()
        self.words, self.norm = keras.layers.Embedding(64, 16), keras.layers.BatchNormalization()
        self.out = keras.layers.Dense(classes)

    def call(self, inputs: Any, training: bool = False) -> Any:
        mask = keras.ops.cast(inputs["padding_mask"], "float32")[..., None]
        return self.out(self.norm(keras.ops.sum(self.words(inputs["token_ids"]) * mask, axis=1), training=training))


def own_model() -> Hooks:
    keras.utils.set_random_seed(0)
    return Hooks(model=BagOfWords())


PARTS = {"head": own_head, "model": own_model}


@pytest.fixture
def config(checkpoint: Path, tmp_path: Path) -> Config:
    rows = [{"text": f"{word} {KNOWN[20 + n % 9]}", "label": word} for n in range(40) for word in ("good", "bad")]
    return Config(
        engine="tensorflow",
        model=str(checkpoint),
        data=write_records(tmp_path / "train.jsonl", rows),
        max_length=12,
        batch_size=16,
        epochs=12,
        learning_rate=1e-2,
        warmup=0.0,
        schedule="constant",
        eval_interval=0,
        histogram_interval=0,
        probe_interval=0,
        runs_dir=tmp_path / "runs",
    )


@pytest.mark.parametrize("part", PARTS)
def test_own_part_learns_and_predicts(part: str, config: Config) -> None:
    result = finetune(config.replace(probe_interval=50), hooks=PARTS[part]())
    assert result.metrics["accuracy"] > 0.9
    fresh = PARTS[part]()
    predictions = load(result.run.path, hooks=fresh).predict_all(["good word21", "bad word22"])
    assert [each["label"] for each in predictions] == ["good", "bad"]
    stored = read_tensors([result.best / "model.safetensors"])
    for index, variable in enumerate(getattr(fresh, part).weights):
        np.testing.assert_array_equal(stored[f"own.{index}"], array_of(variable))
    with pytest.raises(UsageError, match=f"was trained with an own {part}, which is Python code"):
        load(result.run.path)


@pytest.mark.parametrize("part", PARTS)
def test_resumed_run_with_an_own_part_has_the_same_weights(part: str, config: Config) -> None:
    config = config.replace(epochs=2)
    whole = finetune(config, hooks=PARTS[part]())

    def stop(step: int, values: dict[str, float]) -> None:
        if step == 6:
            raise RuntimeError("stopped")

    first = PARTS[part]()
    with pytest.raises(RuntimeError, match="stopped"):
        finetune(config, hooks=Hooks(head=first.head, model=first.model, on_step=stop))
    resumed = resume("last", str(config.runs_dir), hooks=PARTS[part]())
    assert difference(resumed.run, whole.run) < 1e-6


def test_own_head_reads_every_token(config: Config, tmp_path: Path) -> None:
    data = write_records(tmp_path / "x.jsonl", task_records("token-classification", WORDS))
    result = finetune(config.replace(data=data, max_steps=2), hooks=Hooks(head=keras.Sequential(dense(4, 5))))
    assert result.metrics["task"] == "token-classification"


def test_sgd_learns(config: Config) -> None:
    assert finetune(config.replace(optimizer="sgd", learning_rate=0.05)).metrics["accuracy"] > 0.9


@pytest.mark.parametrize(
    ("hooks", "message"),
    [
        (
            Hooks(head=keras.Sequential(dense(4, 3))),
            r"own head returned outputs of shape \[\?, 3\]. It must return \[texts",
        ),
        (Hooks(model="bert"), "The own model is a str. With TensorFlow, use a Keras layer or model"),
    ],
)
def test_unfit_own_parts_are_refused_in_words(hooks: Hooks, message: str, config: Config) -> None:
    with pytest.raises(UsageError, match=message):
        finetune(config, hooks=hooks)


def test_own_model_is_logged_without_what_it_does_not_have(config: Config) -> None:
    result = finetune(config.replace(epochs=1, probe_interval=1), hooks=own_model())
    tags = lossboard.open(result.run.path).tags
    assert "train/loss" in tags and not any("attention" in tag for tag in tags)
