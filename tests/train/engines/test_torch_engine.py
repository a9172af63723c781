"""Training on a BERT with two layers: the arithmetic of a step, and real failures."""

import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

import lossboard
from lossboard.cli.main import main
from lossboard.errors import DataError
from lossboard.findings import read_findings
from lossboard.train.distributed.world import World
from lossboard.train.engines import loop as loop_module
from lossboard.train.engines.torch_engine import TorchEngine
from lossboard.train.findings import TrainingStopped
from lossboard.train.memory import micro_batch as micro_batch_module
from lossboard.train.memory.device import DeviceMemory
from lossboard.train.preparation.prepare import prepare
from lossboard.train.runner import finetune
from lossboard.train.runs.run_dir import RunDir, new_run
from lossboard.train.tasks import saved_task
from lossboard.train.tasks.classification import Classification, ClassificationEvaluation
from train.run_results import finding_codes, max_difference, scalar_values, weights
from train.tiny_bert import make_data, texts, tiny_config


def test_best_checkpoint_loads_as_a_hugging_face_model(tmp_path):
    result = finetune(tiny_config(tmp_path, epochs=6))
    assert result.metrics["accuracy"] > 0.9
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(result.best)
    assert model.config.id2label == {0: "negative", 1: "positive"}
    assert saved_task(result.best) == Classification(("negative", "positive"))
    assert not list(result.run.checkpoints.rglob("*.pt")) and not list(result.run.checkpoints.rglob("*.bin"))


@pytest.mark.parametrize("micro_batch", [1, 5, 16])
def test_accumulated_micro_batches_give_the_gradient_of_the_whole_batch(tmp_path, micro_batch):
    config = tiny_config(tmp_path, dropout=0.0, layer_decay=1.0)
    engine = TorchEngine(config, prepare(config), World())
    batch = np.arange(29)  # 5 does not divide it, and the lengths differ
    assert isinstance(engine._accumulate(batch, micro_batch), torch.Tensor)
    got = {name: p.grad.clone() for name, p in engine.model.named_parameters()}

    engine.optimizer.zero_grad()
    inputs, _, _ = engine.inputs(engine.prepared.train, batch)
    labels = torch.from_numpy(engine.prepared.data.train.labels[batch])
    engine.model(**inputs, labels=labels).loss.backward()
    for name, parameter in engine.model.named_parameters():
        torch.testing.assert_close(got[name], parameter.grad, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("micro_batch", [3, 29])
def test_class_weights_give_torchs_weighted_mean_for_any_micro_batch(tmp_path, micro_batch):
    config = tiny_config(tmp_path, dropout=0.0, class_weights=True)
    rows = (tmp_path / "data.csv").read_text().splitlines()
    (tmp_path / "data.csv").write_text("\n".join([*rows, *(f"{'film ' * i}good,positive" for i in range(90))]) + "\n")
    engine = TorchEngine(config, prepare(config), World())
    batch = np.arange(29)
    sums = engine._accumulate(batch, micro_batch)
    got = {name: p.grad.clone() for name, p in engine.model.named_parameters()}

    engine.optimizer.zero_grad()
    labels = torch.from_numpy(engine.prepared.data.train.labels[batch])
    logits = engine.model(**engine.inputs(engine.prepared.train, batch)[0]).logits
    loss = torch.nn.functional.cross_entropy(logits, labels, weight=engine.class_weights)
    loss.backward()
    assert float(sums[0]) / engine.prepared.batch_weight(batch) == pytest.approx(loss.item(), rel=1e-5)
    for name, parameter in engine.model.named_parameters():
        torch.testing.assert_close(got[name], parameter.grad, rtol=1e-4, atol=1e-6)


def test_micro_batches_do_not_change_the_run(tmp_path):
    whole = finetune(tiny_config(tmp_path, dropout=0.0))
    pieces = finetune(tiny_config(tmp_path, dropout=0.0, micro_batch_size=3))
    assert max_difference(weights(whole.run), weights(pieces.run)) < 1e-5


def test_oom_halves_the_micro_batch_and_gives_the_same_weights(tmp_path, monkeypatch):
    plenty = finetune(tiny_config(tmp_path, dropout=0.0))
    real = TorchEngine._backward

    def tight(self, rows, **keywords):
        if len(rows) > 4:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 50331648 bytes.")
        return real(self, rows, **keywords)

    monkeypatch.setattr(TorchEngine, "_backward", tight)
    little = finetune(tiny_config(tmp_path, dropout=0.0))
    assert finding_codes(little.run) == ["memory", "memory"]
    assert json.loads((little.run.checkpoints / "last/state.json").read_text())["micro_batch"] == 4
    assert max_difference(weights(plenty.run), weights(little.run)) < 1e-5


def test_oom_with_one_example_stops_with_a_finding(tmp_path, monkeypatch):
    def none(self, rows, **keywords):
        raise MemoryError

    monkeypatch.setattr(TorchEngine, "_backward", none)
    with pytest.raises(TrainingStopped, match=r"Not even one example fits in memory.*Lower --max-length"):
        finetune(tiny_config(tmp_path, batch_size=2))
    (run,) = (RunDir(path) for path in (tmp_path / "runs").iterdir())
    assert finding_codes(run) == ["memory", "does-not-fit"]


def test_micro_batch_is_reduced_if_the_memory_plan_does_not_fit(tmp_path, monkeypatch):
    small = DeviceMemory("cpu", total_bytes=2**25, free_bytes=2**20, limited_by="the container's limit")
    monkeypatch.setattr(micro_batch_module, "cpu_memory", lambda: small)
    run = finetune(tiny_config(tmp_path, epochs=1)).run
    assert finding_codes(run) == ["memory"]
    assert json.loads((run.checkpoints / "last/state.json").read_text())["micro_batch"] == 1
    configured = finetune(tiny_config(tmp_path, epochs=1, micro_batch_size=16)).run
    assert finding_codes(configured) == [], "a configured micro-batch is not changed"


def test_other_errors_are_not_treated_as_oom(tmp_path, monkeypatch):
    def broken(self, rows, **keywords):
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(TorchEngine, "_backward", broken)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        finetune(tiny_config(tmp_path))


LIMITED = """
import resource, sys
from lossboard.train.engines import torch_engine
from lossboard.train.runs.run_dir import RunDir
from pathlib import Path

real = torch_engine.TorchEngine.__init__
def limited(self, *args):
    real(self, *args)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + int(sys.argv[2]) * 2**20,) * 2)
torch_engine.TorchEngine.__init__ = limited
run = RunDir(Path(sys.argv[1]))
torch_engine.train(run.config(), run)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS bounds memory on Linux only")
def test_training_survives_a_real_memory_limit(tmp_path):
    make_data(tmp_path / "many.csv", examples=3000)
    run = new_run(tiny_config(tmp_path, data=tmp_path / "many.csv", batch_size=2400, epochs=2, group_by_length=False))
    done = subprocess.run([sys.executable, "-c", LIMITED, run.path, "120"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert finding_codes(run) and set(finding_codes(run)) == {"memory"}
    assert json.loads((run.path / "result.json").read_text())["step"] == 2


def poison(config, *words: str) -> None:
    """Puts huge numbers in the embeddings of these words, so every batch with one of them has a NaN loss."""
    from train.tiny_bert import WORDS

    file = Path(config.model) / "model.safetensors"
    tensors = load_file(file)
    tensors["embeddings.word_embeddings.weight"][[WORDS.index(word) for word in words]] = 3e38
    save_file(tensors, file, metadata={"format": "pt"})


def test_non_finite_batch_is_skipped_counted_and_saved(tmp_path):
    config = tiny_config(tmp_path, epochs=1)
    lines = (tmp_path / "data.csv").read_text().splitlines()
    (tmp_path / "data.csv").write_text("\n".join(line.replace("dull", "poor") for line in lines) + "\n")
    make_data(tmp_path / "val.csv", examples=40, seed=1)
    (tmp_path / "val.csv").write_text((tmp_path / "val.csv").read_text().replace("dull", "poor"))
    with (tmp_path / "data.csv").open("a") as out:
        out.write("the cast was dull,negative\n")
    poison(config, "dull")
    result = finetune(config.replace(val_data=tmp_path / "val.csv"))
    assert result.metrics["skipped"] == 1
    assert finding_codes(result.run) == ["not-finite"]
    (finding,) = read_findings(result.run.path / "findings.jsonl")
    assert "The output is not finite for data.csv, line 162." in finding.message
    assert finding.location.rows == ("data.csv, line 162",)
    (kept,) = result.run.path.glob("bad-batch-*.json")
    assert "the cast was dull" in [example["text"] for example in json.loads(kept.read_text())["examples"]]
    assert torch.isfinite(weights(result.run)["classifier.weight"]).all()


def test_consecutive_non_finite_steps_stop_the_run_and_keep_the_weights(tmp_path):
    config = tiny_config(tmp_path)
    poison(config, "the", "film", "was", "a", "very", "and", "story", "with", "its", "cast", "in", "of")
    with pytest.raises(
        TrainingStopped, match=r"3 consecutive steps .* Lower the learning rate \(it was 0.003, try 0.0003\)"
    ):
        finetune(config)
    (run,) = (RunDir(path) for path in config.runs_dir.iterdir())
    assert finding_codes(run) == ["not-finite"] * 3 + ["diverged"]
    assert torch.isfinite(weights(run)["classifier.weight"]).all()
    assert "diverged" in (run.path / "console.log").read_text()


def test_checkpoint_with_nan_is_refused_and_its_weights_are_named(tmp_path):
    config = tiny_config(tmp_path)
    file = Path(config.model) / "model.safetensors"
    tensors = load_file(file)
    tensors["pooler.dense.weight"][3, 1] = float("nan")
    tensors["embeddings.LayerNorm.bias"] = tensors["embeddings.LayerNorm.bias"].to(torch.bfloat16)
    tensors["embeddings.LayerNorm.bias"][2] = float("-inf")
    save_file(tensors, file, metadata={"format": "pt"})
    with pytest.raises(DataError, match="weights-non-finite: 2 weights") as refused:
        finetune(config)
    assert all(name in str(refused.value) for name in ("pooler.dense.weight", "embeddings.LayerNorm.bias"))


def finding_of_rate(folder: Path, rate: float, **settings: object) -> dict[str, Any]:
    config = tiny_config(folder, learning_rate=rate, warmup=0.0, schedule="constant", **settings)
    with suppress(TrainingStopped):
        finetune(config)
    (run,) = (RunDir(path) for path in config.runs_dir.iterdir())
    return json.loads((run.path / "findings.jsonl").read_text().splitlines()[0])


def test_learning_rate_far_too_high_is_reported_early(tmp_path):
    finding = finding_of_rate(tmp_path, 3.0, epochs=5)
    assert finding["code"] == "not-learning" and finding["first_step"] < 20
    assert "The learning rate (3) is too high. Try 0.3" in finding["advice"]


def test_learning_rate_far_too_low_is_reported_early(tmp_path):
    finding = finding_of_rate(tmp_path, 1e-9, epochs=5)
    assert (finding["code"], finding["first_step"]) == ("not-learning", 20)
    assert "The learning rate (1e-09) is too low" in finding["advice"]


def no_label(folder: Path) -> dict[str, object]:
    file = folder / "data.csv"
    file.write_text(file.read_text().replace("positive", "", 1))
    return {}


def off_by_one(folder: Path) -> dict[str, object]:
    """Labels 0 and 1 for training, 1 and 2 for validation."""
    for name, labels in (("data", "01"), ("val", "12")):
        make_data(folder / f"{name}.csv", seed=ord(name[0]))
        text = (folder / f"{name}.csv").read_text()
        (folder / f"{name}.csv").write_text(text.replace("negative", labels[0]).replace("positive", labels[1]))
    return {"val_data": folder / "val.csv"}


def empty_texts(folder: Path) -> dict[str, object]:
    file = folder / "data.csv"
    file.write_text(re.sub(r"\n[^,\n]+,", "\n,", file.read_text(), count=20))
    return {}


def leak(folder: Path) -> dict[str, object]:
    return {"val_data": folder / "data.csv"}


def wrong_tokenizer(folder: Path) -> dict[str, object]:
    file = folder / "model" / "tokenizer.json"
    tokenizer = json.loads(file.read_text())
    tokenizer["model"]["vocab"] = {word: i + 20 * (i > 4) for word, i in tokenizer["model"]["vocab"].items()}
    file.write_text(json.dumps(tokenizer))
    return {}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (no_label, "label"),
        (off_by_one, "not one of the 2 classes"),
        (empty_texts, "20 examples (12.5%) without text"),
        (leak, "160 examples of the validation set (100.0%) are also in the training set"),
        (wrong_tokenizer, "The tokenizer has ids up to 46, but the model has 27 embeddings"),
    ],
)
def test_bad_data_is_refused_before_the_first_step(tmp_path, spoil, message):
    config = tiny_config(tmp_path)
    with pytest.raises(DataError) as caught:
        finetune(config.replace(**spoil(tmp_path)))
    assert message in str(caught.value)
    (run,) = (RunDir(path) for path in config.runs_dir.iterdir())
    assert message in (run.path / "console.log").read_text()
    assert finding_codes(run) == ["refused"]
    board = lossboard.open(config.runs_dir)
    assert [(found.run, message in found.finding.message) for found in board.findings()] == [(*board.runs, True)]
    assert "### Checks" in texts(board[f"{run.id}/logs/tensorboard"], "data/report")


def test_best_and_patience_use_the_evaluations_within_an_epoch(tmp_path):
    settings = {"eval_interval": 3, "epochs": 40, "learning_rate": 1e-9}
    stopped = finetune(tiny_config(tmp_path, **settings, eval_iters=1, patience=2))
    assert (stopped.metrics["step"], stopped.metrics["best_step"]) == (8, 3), "evaluations at 3, 6 and 8"
    assert scalar_values(stopped.run, "val/loss").shape == (3,)
    small = finetune(tiny_config(tmp_path, **settings, max_steps=8))
    assert small.metrics["best_step"] == 3, "the sample covers the validation set"
    large = finetune(tiny_config(tmp_path, **settings, max_steps=8, eval_iters=1))
    assert large.metrics["best_step"] == 8, "an estimate on a sample selects nothing"


def test_run_prints_columns_and_classes_and_takes_the_header_flag(tmp_path, capsys):
    config = tiny_config(tmp_path, epochs=1)
    lines = (tmp_path / "data.csv").read_text().splitlines()
    (tmp_path / "data.csv").write_text("\n".join(lines[1:]))
    columns = {"text_column": "0", "label_column": "1"}
    finetune(config.replace(header=False, classes="positive,negative", **columns))
    output = capsys.readouterr().out
    assert "160 examples, text from '0', label from '1' (no header)" in output
    assert "2 classes: 0 = positive, 1 = negative" in output


def test_seed_does_not_change_the_validation_set(tmp_path):
    seeds: list[dict[str, object]] = [{"seed": 0}, {"seed": 1}, {"split_seed": 1}]
    held = [list(prepare(tiny_config(tmp_path, **seed)).data.validation.texts) for seed in seeds]
    assert held[0] == held[1] != held[2]


@pytest.mark.parametrize(("given", "message"), [("--model", "No data given. Set --data"), ("--data", "No model given")])
def test_missing_input_is_reported_before_a_run_is_created(tmp_path, monkeypatch, capsys, given, message):
    monkeypatch.chdir(tmp_path)
    assert main(["finetune", given, "x"]) == 1
    assert capsys.readouterr().err.startswith(f"lossboard: {message}")
    assert not (tmp_path / "runs").exists()


def test_patience_stops_a_run_without_improvement(tmp_path):
    result = finetune(tiny_config(tmp_path, epochs=40, learning_rate=1e-9, patience=2))
    assert result.metrics["step"] == 3 * 8
    assert result.metrics["best_step"] == 8


def test_result_has_the_metrics_of_the_best_checkpoint(tmp_path, monkeypatch, capsys):
    scores = iter([0.6, 0.9, 0.7])
    real = loop_module._RunMonitor.evaluate

    def scored(self, state, **keywords):
        evaluation, estimate = real(self, state, **keywords)
        right = round(next(scores) * len(evaluation.labels))
        flip = np.arange(len(evaluation.labels)) >= right
        logits = np.eye(2, dtype=np.float32)[evaluation.labels ^ flip]
        return ClassificationEvaluation(logits, evaluation.labels, evaluation.examples, evaluation.classes), estimate

    monkeypatch.setattr(loop_module._RunMonitor, "evaluate", scored)
    config = tiny_config(tmp_path, epochs=3)
    (tmp_path / "run.json").write_text(json.dumps(config.as_dict()))
    assert main(["finetune", "--config", str(tmp_path / "run.json")]) == 0
    (run,) = (RunDir(path) for path in config.runs_dir.iterdir())
    result = json.loads((run.path / "result.json").read_text())
    assert (result["best_step"], result["accuracy"]) == (16, 29 / 32)
    assert (result["step"], result["last"]["accuracy"]) == (24, 22 / 32)
    assert json.loads((run.checkpoints / "best/state.json").read_text())["step"] == 16
    line = f"best checkpoint: {run.checkpoints / 'best'}, step 16, accuracy 90.62% (last step 24: accuracy 68.75%)"
    assert capsys.readouterr().out.splitlines()[-1] == line
    logged = lossboard.open(config.runs_dir)[f"{run.id}/logs/tensorboard"]
    assert logged.scalars("hparam/accuracy").values.tolist() == pytest.approx([29 / 32])


def test_frozen_layers_do_not_change(tmp_path):
    result = finetune(tiny_config(tmp_path, frozen_layers=1, epochs=1))
    before = load_file(Path(result.run.config().model) / "model.safetensors")
    after = weights(result.run)
    changed = {name for name, tensor in before.items() if not torch.equal(tensor, after["bert." + name])}
    assert changed and all("layer.1." in name or "pooler" in name for name in changed)


def test_layer_decay_lowers_the_learning_rate_of_lower_layers(tmp_path):
    config = tiny_config(tmp_path, layer_decay=0.5)
    engine = TorchEngine(config, prepare(config), World())
    scale = {id(p): group["scale"] for group in engine.optimizer.param_groups for p in group["params"]}
    named = {name: scale[id(p)] for name, p in engine.model.named_parameters()}
    assert named["classifier.weight"] == 1.0
    assert named["bert.encoder.layer.1.output.dense.weight"] == 0.5
    assert named["bert.encoder.layer.0.output.dense.weight"] == 0.25
    assert named["bert.embeddings.word_embeddings.weight"] == 0.125


@pytest.mark.parametrize(
    "settings",
    [
        {"precision": "bf16"},
        {"precision": "fp16"},
        {"gradient_checkpointing": True},
        {"schedule": "exponential", "staircase": True},
    ],
    ids=["bf16", "fp16", "checkpointing", "staircase"],
)
def test_training_options_reach_a_high_accuracy(tmp_path, settings):
    result = finetune(tiny_config(tmp_path, epochs=6, **settings))
    assert result.metrics["accuracy"] > 0.9
