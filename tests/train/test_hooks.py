"""Hooks: own metrics and callbacks of a run."""

from pathlib import Path
from typing import Any, cast

import pytest
from sklearn.metrics import cohen_kappa_score

import lossboard.train
from lossboard.errors import UsageError
from lossboard.findings import Finding
from lossboard.train.config import TaskName
from lossboard.train.hooks import Hooks
from train.run_results import scalar_values
from train.task_data import Words, task_records, write_records
from train.tiny_bert import BAD, FILLER, GOOD, tiny_config


def test_own_metric_is_logged_and_selects_the_best_checkpoint(tmp_path: Path) -> None:
    scores = iter([0.1, 0.9, 0.5])
    # Once for the samples of both sets and once for the validation set, at each evaluation.
    calls: list[tuple[list[str], list[str]]] = []

    def fall(truths: list[str], guesses: list[str]) -> float:
        calls.append((truths, guesses))
        return next(scores) if len(truths) == 32 and len(calls) % 3 == 2 else 0.0

    hooks = Hooks(metrics={"kappa": cohen_kappa_score, "odd": fall})
    result = lossboard.train.finetune(tiny_config(tmp_path, epochs=3, metric="odd"), hooks=hooks)
    assert result.metrics["metric"] == "odd" and result.metrics["best_step"] == 16
    assert scalar_values(result.run, "val/odd").tolist() == pytest.approx([0.1, 0.9, 0.5])
    assert {*calls[0][0], *calls[0][1]} <= {"negative", "positive"}
    kappa = scalar_values(result.run, "val/kappa")
    assert kappa[-1] == pytest.approx(result.metrics["last"]["kappa"])


@pytest.mark.parametrize(
    ("task", "kind"),
    [("regression", float), ("multi-label", list), ("token-classification", list), ("question-answering", str)],
)
def test_own_metric_gets_the_values_of_its_task(tmp_path: Path, task: str, kind: type) -> None:
    seen: list[tuple[Any, Any]] = []
    data = write_records(tmp_path / "x.jsonl", task_records(cast(TaskName, task), Words(GOOD, BAD, FILLER)))
    hooks = Hooks(metrics={"size": lambda truths, guesses: seen.append((truths, guesses)) or len(truths)})
    result = lossboard.train.finetune(tiny_config(tmp_path, data=data, max_steps=1), hooks=hooks)
    assert result.metrics["size"] == 24
    truths, guesses = ([each.tolist() if hasattr(each, "tolist") else each for each in values] for values in seen[-1])
    assert len(truths) == len(guesses) and isinstance(guesses[0], kind)


def test_callbacks_follow_the_run(tmp_path: Path) -> None:
    steps: list[int] = []
    evaluations: list[dict[str, float]] = []
    found: list[Finding] = []
    hooks = Hooks(
        on_step=lambda step, values: steps.append(step) if values["train/loss"] > 0 else None,
        on_evaluation=lambda step, metrics: evaluations.append(metrics | {"step": step}),
        on_finding=found.append,
    )
    config = tiny_config(tmp_path, epochs=2, learning_rate=10.0, warmup=0.0)
    lossboard.train.finetune(config, hooks=hooks)
    assert steps == list(range(1, 17))
    assert [row["step"] for row in evaluations] == [8, 16] and "f1/positive" in evaluations[0]
    assert [finding.code for finding in found] == ["not-learning"]


def test_error_in_a_callback_ends_the_run_and_it_can_be_resumed(tmp_path: Path) -> None:
    def stop(step: int, values: dict[str, float]) -> None:
        if step == 5:
            raise RuntimeError("pruned")

    config = tiny_config(tmp_path, epochs=1, save_interval=2)
    with pytest.raises(RuntimeError, match="pruned"):
        lossboard.train.finetune(config, hooks=Hooks(on_step=stop))
    steps: list[int] = []
    hooks = Hooks(on_step=lambda step, _: steps.append(step))
    lossboard.train.resume("last", str(config.runs_dir), hooks=hooks)
    assert steps == [5, 6, 7, 8]


def test_hooks_with_workers_and_unknown_metrics_are_refused(tmp_path: Path) -> None:
    config = tiny_config(tmp_path)
    with pytest.raises(UsageError, match="exist in one process only"):
        lossboard.train.finetune(config.replace(workers=2), hooks=Hooks(on_finding=print))
    with pytest.raises(UsageError, match=r"--metric is 'kappa'. For classification it must be one of accuracy, f1"):
        lossboard.train.finetune(config.replace(metric="kappa"))
    assert not config.runs_dir.exists()
