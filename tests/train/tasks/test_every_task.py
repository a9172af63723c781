"""Every task with torch: the arithmetic of a step, resuming, checkpoints for Hugging Face, predictions."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import pytest
import torch
import transformers

from lossboard.cli import main as cli
from lossboard.train import finetune, load, resume
from lossboard.train.config import Config, TaskName
from lossboard.train.distributed.world import World
from lossboard.train.engines.torch_engine import TorchEngine
from lossboard.train.inference.trained_model import read_rows
from lossboard.train.models.heads import HEADS
from lossboard.train.models.torch_model import head_outputs
from lossboard.train.preparation.prepare import prepare
from lossboard.train.tasks import TASKS, saved_task
from train.run_results import max_difference, scalar_values, weights
from train.task_data import Words, task_records, write_records
from train.tiny_bert import BAD, FILLER, GOOD, tiny_config

WORDS = Words(GOOD, BAD, FILLER)
NEW_TASKS = [task for task in get_args(TaskName) if task != "classification"]


@pytest.fixture(params=NEW_TASKS)
def task(request: pytest.FixtureRequest) -> TaskName:
    return cast(TaskName, request.param)


def config_for(task: TaskName, folder: Path, **settings: object) -> Config:
    data = write_records(folder / f"{task}.jsonl", task_records(task, WORDS))
    return tiny_config(folder, data=data, **settings)


def test_task_is_detected_and_learned_and_loads_in_hugging_face(task: TaskName, tmp_path: Path) -> None:
    result = finetune(config_for(task, tmp_path, epochs=40, dropout=0.0))
    assert result.metrics["task"] == task
    metric = TASKS[task].metrics[0]
    assert result.metrics[metric] > 0.7
    assert scalar_values(result.run, f"val/{metric}")[-1] == pytest.approx(result.metrics["last"][metric])

    automatic = getattr(transformers, f"AutoModel{HEADS[TASKS[task].head].model_class}")
    model, report = automatic.from_pretrained(result.best, output_loading_info=True)
    assert not report["missing_keys"] and not report["mismatched_keys"]
    saved = saved_task(result.best)
    assert type(saved) is TASKS[task] and list(model.config.id2label.values()) == list(saved.classes)


def test_accumulated_micro_batches_give_the_gradient_of_the_whole_batch(task: TaskName, tmp_path: Path) -> None:
    config = config_for(task, tmp_path, dropout=0.0)
    engine = TorchEngine(config, prepare(config), World())
    batch = np.arange(29)  # 5 does not divide it, and the lengths differ
    gradients = []
    for micro_batch in (29, 5, 1):
        assert isinstance(engine._accumulate(batch, micro_batch), torch.Tensor)
        gradients.append({name: p.grad.clone() for name, p in engine.model.named_parameters() if p.grad is not None})
        engine.optimizer.zero_grad()
    assert max(float(g.abs().max()) for g in gradients[0].values()) > 1e-3
    assert max_difference(gradients[0], gradients[1]) < 1e-6
    assert max_difference(gradients[0], gradients[2]) < 1e-6


def test_loss_is_that_of_hugging_face(task: TaskName, tmp_path: Path) -> None:
    config = config_for(task, tmp_path, dropout=0.0)
    prepared = prepare(config)
    engine, data = TorchEngine(config, prepared, World()), prepared.train
    # Texts of equal length, because transformers lets positions in the padding be answers.
    batch = np.flatnonzero(data.lengths == np.bincount(data.lengths).argmax())
    loss = float(engine._accumulate(batch, 3)[0]) / prepared.batch_weight(batch)
    inputs = engine.inputs(data, batch)[0]
    targets = torch.from_numpy(data.targets.batch(batch, width=inputs["input_ids"].shape[1]))
    if task == "question-answering":
        labels = {"start_positions": targets[:, 0], "end_positions": targets[:, 1]}
    else:
        labels = {"labels": targets if targets.dtype == torch.int64 else targets.float()}
    assert engine.model(**inputs, **labels).loss.item() == pytest.approx(loss, rel=1e-6)


def test_resumed_run_has_the_same_weights(task: TaskName, tmp_path: Path) -> None:
    config = config_for(task, tmp_path, epochs=2, schedule="constant", warmup=0.0)
    whole = finetune(config)
    cut = finetune(config.replace(epochs=1)).run
    assert max_difference(weights(cut), weights(whole.run)) > 0
    resume(cut.id, str(config.runs_dir))
    resumed = resume_longer(cut.id, config)
    assert max_difference(weights(resumed), weights(whole.run)) == 0


def resume_longer(run: str, config: Config) -> Any:
    from lossboard.train import runner

    return runner.resume(run, config.runs_dir, epochs=2).run


@dataclass(frozen=True)
class Held:
    run: Any
    rows: Path
    metrics: dict[str, Any]


def test_evaluation_repeats_the_validation_metrics_and_predictions_have_every_row(
    task: TaskName, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = write_records(tmp_path / "held-out.jsonl", task_records(task, WORDS, examples=40, seed=9))
    result = finetune(config_for(task, tmp_path, val_data=held, epochs=4))
    model = load(result.run.path)
    evaluation, _ = model.evaluate(read_rows(held), batch_size=7)
    for name in TASKS[task].metrics:
        assert evaluation.metrics()[name] == pytest.approx(result.metrics[name], rel=1e-4, abs=1e-6), name

    assert cli.main(["evaluate", str(result.run.path), str(held)]) == 0
    assert "worst examples" in capsys.readouterr().out
    for suffix in (".jsonl", ".csv", ".parquet"):
        out = tmp_path / f"out{suffix}"
        assert cli.main(["predict", str(result.run.path), str(held), "-o", str(out)]) == 0
        assert out.stat().st_size
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    given = [json.loads(line) for line in held.read_text().splitlines()]
    assert len(rows) == len(given)
    assert all(
        row.items() >= record.items() for row, record in zip(rows, given, strict=True) if task != "question-answering"
    )
    assert all(any(name.startswith("predicted_") for name in row) for row in rows)


def test_lora_and_merge(task: TaskName, tmp_path: Path) -> None:
    result = finetune(config_for(task, tmp_path, lora_rank=2, max_steps=2))
    assert cli.main(["merge", str(result.run.path), "-o", str(tmp_path / "merged")]) == 0
    automatic = getattr(transformers, f"AutoModel{HEADS[TASKS[task].head].model_class}")
    merged = automatic.from_pretrained(tmp_path / "merged").eval()
    inputs = torch.tensor([[2, 5, 11, 7, 3]])
    logits = head_outputs(merged(input_ids=inputs))
    ours = load(result.run.path).forward.model(input_ids=inputs)
    torch.testing.assert_close(logits, head_outputs(ours))
