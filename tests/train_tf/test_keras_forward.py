"""Predictions and metrics of a run that was trained with TensorFlow."""

import json
from pathlib import Path

import pytest

from lossboard.cli import main as cli
from lossboard.train import finetune, load
from lossboard.train.config import Config
from lossboard.train.inference.trained_model import read_rows

pytestmark = pytest.mark.tensorflow


def test_trained_model_predicts_and_repeats_its_validation_metrics(
    checkpoint: Path, examples: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = examples.read_text().splitlines(keepends=True)
    train, held_out = tmp_path / "train.jsonl", tmp_path / "held-out.jsonl"
    train.write_text("".join(lines[:400]))
    held_out.write_text("".join(lines[400:]))
    config = Config(
        model=str(checkpoint),
        data=train,
        val_data=held_out,
        engine="tensorflow",
        epochs=1,
        max_length=16,
        runs_dir=tmp_path / "runs",
        histogram_interval=0,
        probe_interval=0,
    )
    result = finetune(config)
    evaluation, _ = load(result.run.path).evaluate(read_rows(held_out), batch_size=5)
    assert evaluation.metrics()["loss"] == pytest.approx(result.metrics["loss"], rel=1e-5)
    assert evaluation.metrics()["accuracy"] == result.metrics["accuracy"]

    out = tmp_path / "out.jsonl"
    assert cli.main(["predict", str(result.run.path), str(held_out), "-o", str(out)]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    right = [row["predicted_label"] == str(row["label"]) for row in rows]
    assert sum(right) / len(right) == result.metrics["accuracy"]
