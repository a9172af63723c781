"""Own heads and own models: torch modules of a program in place of the kit's."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from safetensors.torch import load_file

import lossboard
from lossboard.cli import main as cli
from lossboard.errors import UsageError
from lossboard.train import Config, Hooks, finetune, load, resume
from lossboard.train.inference.trained_model import read_rows
from train.run_results import max_difference, weights
from train.task_data import Words, task_records, write_records
from train.tiny_bert import BAD, FILLER, GOOD, WORDS, tiny_config


def deep_head(classes: int = 2) -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(32, 16), torch.nn.Tanh(), torch.nn.Linear(16, classes))


class BagOfWords(torch.nn.Module):
    """Takes only two of the inputs, as own models do."""

    def __init__(self, classes: int = 2, *, for_tokens: bool = False) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.words, self.out = torch.nn.Embedding(len(WORDS), 16), torch.nn.Linear(16, classes)
        self.for_tokens = for_tokens

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        words = self.words(input_ids) * attention_mask[..., None]
        return self.out(words if self.for_tokens else words.sum(1))


PARTS = {"head": lambda: Hooks(head=deep_head()), "model": lambda: Hooks(model=BagOfWords())}


@pytest.mark.parametrize("part", PARTS)
def test_own_part_learns_and_predicts_what_it_did_in_training(part: str, tmp_path: Path) -> None:
    config = tiny_config(tmp_path, epochs=20, learning_rate=1e-2, dropout=None if part == "model" else 0.0)
    hooks = PARTS[part]()
    result = finetune(config, hooks=hooks)
    assert result.metrics["accuracy"] == 1.0

    fresh = PARTS[part]()
    model = load(result.run.path, hooks=fresh)
    assert model.predict_all(["a good great film", "a bad awful film"])[0]["label"] == "positive"
    evaluation, _ = model.evaluate(read_rows(tmp_path / "data.csv"))
    assert evaluation.metrics()["accuracy"] > 0.95
    own = getattr(fresh, part)
    prefix = {"head": "classifier.", "model": "own."}[part]
    stored = load_file(result.best / "model.safetensors")
    assert all(torch.equal(stored[prefix + name].cpu(), value) for name, value in own.state_dict().items())


@pytest.mark.parametrize("part", PARTS)
def test_resumed_run_with_an_own_part_has_the_same_weights(part: str, tmp_path: Path) -> None:
    config = tiny_config(tmp_path, epochs=2, schedule="constant", warmup=0.0)
    whole = finetune(config, hooks=PARTS[part]())

    def stop(step: int, values: dict[str, float]) -> None:
        if step == 9:
            raise RuntimeError("stopped")

    parts = PARTS[part]()
    with pytest.raises(RuntimeError, match=r"stopped"):
        finetune(config, hooks=Hooks(head=parts.head, model=parts.model, on_step=stop))
    resumed = resume("last", str(config.runs_dir), hooks=PARTS[part]())
    assert max_difference(weights(resumed.run), weights(whole.run)) == 0


@pytest.mark.parametrize(
    ("task", "hooks"),
    [
        ("token-classification", Hooks(head=deep_head(5))),
        ("token-classification", Hooks(model=BagOfWords(5, for_tokens=True))),
        ("question-answering", Hooks(head=deep_head(2))),
        ("question-answering", Hooks(model=BagOfWords(2, for_tokens=True))),
        ("regression", Hooks(head=deep_head(1))),
        ("multi-label", Hooks(model=BagOfWords(2))),
    ],
)
def test_own_parts_train_for_every_task(task: Any, hooks: Hooks, tmp_path: Path) -> None:
    data = write_records(tmp_path / "x.jsonl", task_records(task, Words(GOOD, BAD, FILLER)))
    result = finetune(tiny_config(tmp_path, data=data, max_steps=2, probe_interval=1), hooks=hooks)
    assert result.metrics["task"] == task
    assert load(result.run.path, hooks=hooks).predict_all(data)


def test_model_of_transformers_with_its_own_weights_is_an_own_model(tmp_path: Path) -> None:
    config = tiny_config(tmp_path, epochs=10, learning_rate=3e-3)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(config.model, num_labels=2)
    assert finetune(config, hooks=Hooks(model=model)).metrics["accuracy"] > 0.9


def test_run_of_an_own_part_needs_it_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tiny_config(tmp_path, max_steps=1)
    run = finetune(config, hooks=Hooks(model=BagOfWords())).run
    message = r"was trained with an own model, which is Python code. Pass it again: lossboard.train.load\(.*model=…"
    with pytest.raises(UsageError, match=message):
        load(run.path)
    with pytest.raises(UsageError, match=r"with an own model.* Pass it again: lossboard.train.resume\("):
        resume(run.id, str(config.runs_dir))
    with pytest.raises(UsageError, match=r"has the weights of an own model. Pass it"):
        finetune(config.replace(model=str(run.checkpoints / "best")))
    with pytest.raises(UsageError, match=r"was trained with another BagOfWords"):
        load(run.path, hooks=Hooks(model=BagOfWords(3)))
    with pytest.raises(UsageError, match=r"with an own model, which"):
        load(run.path, hooks=Hooks(head=deep_head()))
    assert cli.main(["predict", str(run.path), str(config.data)]) == 1
    assert "which is Python code" in capsys.readouterr().err
    plain = finetune(config).run
    with pytest.raises(UsageError, match=r"was trained without an own head. Remove it"):
        load(plain.path, hooks=Hooks(head=deep_head()))


def test_new_head_on_the_checkpoint_of_an_own_head_forgets_it(tmp_path: Path) -> None:
    config = tiny_config(tmp_path, max_steps=1)
    first = finetune(config, hooks=Hooks(head=deep_head()))
    second = finetune(config.replace(model=str(first.best)))
    assert "lossboard_own" not in json.loads((second.best / "config.json").read_text())
    assert load(second.run.path).predict_all(["a good film"])


@pytest.mark.parametrize(
    ("settings", "hooks", "message"),
    [
        (
            {},
            Hooks(head=deep_head(3)),
            r"The own head returned outputs of shape \[\d+, 3\]. It must return \[texts, 2\]",
        ),
        ({}, Hooks(model=BagOfWords(for_tokens=True)), r"shape \[\d+, \d+, 2\]. It must return \[texts, 2\], for: neg"),
        ({}, Hooks(head="linear"), "The own head is a str. With torch it must be a torch.nn.Module."),
        ({}, Hooks(head=deep_head(), model=BagOfWords()), "have both a head and a model"),
        ({"frozen_layers": 1}, Hooks(model=BagOfWords()), "--frozen-layers changes layers that an own model may not"),
        ({"workers": 2}, Hooks(model=BagOfWords()), "heads and models exist in one process only"),
    ],
)
def test_unfit_own_parts_are_refused_in_words(
    settings: dict[str, Any], hooks: Hooks, message: str, tmp_path: Path
) -> None:
    config: Config = tiny_config(tmp_path, max_steps=1, **settings)
    with pytest.raises(UsageError, match=message):
        finetune(config, hooks=hooks)


def test_own_model_is_logged_without_what_it_does_not_have(tmp_path: Path) -> None:
    config = tiny_config(tmp_path, max_steps=1, probe_interval=1, histogram_interval=1)
    run = finetune(config, hooks=Hooks(model=BagOfWords())).run
    board = lossboard.open(run.path)
    assert any("own.words.weight" in tag for tag in board.tags)
    assert not any("attention" in tag or "val/cls" in tag for tag in board.tags)
    assert board.embeddings() == []


def test_model_object_in_place_of_a_checkpoint_says_where_it_belongs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"model is a BagOfWords. Set model to .* hooks=Hooks\(model=…\)"):
        finetune(tiny_config(tmp_path), model=BagOfWords())
    assert finetune(tiny_config(tmp_path, max_steps=1), model=tmp_path / "model").run.finished


def test_own_head_trains_with_lora(tmp_path: Path) -> None:
    config = tiny_config(tmp_path, lora_rank=2, epochs=20, learning_rate=1e-2, dropout=0.0)
    result = finetune(config, hooks=Hooks(head=deep_head()))
    assert result.metrics["accuracy"] > 0.9
    evaluation, _ = load(result.run.path, hooks=Hooks(head=deep_head())).evaluate(read_rows(tmp_path / "data.csv"))
    assert evaluation.metrics()["accuracy"] > 0.9
