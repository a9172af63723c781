"""Evaluation of a trained model, logged as a run of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from lossboard import SummaryWriter
from lossboard.train.data.table import Table
from lossboard.train.inference.trained_model import BATCH_SIZE, TrainedModel, run_of
from lossboard.train.reporting.evaluation_log import write_evaluation


@dataclass(frozen=True)
class EvaluationResult:
    """Metrics, the number of examples, and where they were logged."""

    metrics: dict[str, float]
    examples: int
    log_dir: Path | None


def evaluate_and_log(
    model: TrainedModel, table: Table, log_dir: Path | None = None, *, batch_size: int = BATCH_SIZE
) -> EvaluationResult:
    """Evaluates a model and logs the result under `test/…`, at the step of its checkpoint.

    Without `log_dir`, it is a sub-run of the run that the model is from. A later evaluation on the same file replaces
    it. A checkpoint outside of a run is not logged.
    """
    evaluation, split = model.evaluate(table, batch_size=batch_size)
    run = run_of(model.checkpoint)
    if log_dir is None and run is not None:
        log_dir = run.path / "evaluations" / table.path.name.partition(".")[0]
    if log_dir is not None:
        for earlier in log_dir.glob("events.out.tfevents.*"):
            earlier.unlink()
        with SummaryWriter(str(log_dir)) as writer:
            write_evaluation(writer, evaluation, split, model.task, prefix="test", step=_step(model.checkpoint))
    return EvaluationResult(evaluation.metrics() | evaluation.class_metrics(), len(split), log_dir)


def _step(checkpoint: Path) -> int:
    """Returns the step that a checkpoint was written at; 0 if it does not say."""
    state = checkpoint / "state.json"
    return int(json.loads(state.read_text(encoding="utf-8"))["step"]) if state.is_file() else 0
