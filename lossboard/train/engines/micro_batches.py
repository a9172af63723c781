"""Micro-batch size of a run, for both engines: reduced before the first step and after an OOM."""

from __future__ import annotations

from lossboard.train import findings
from lossboard.train.config import Config
from lossboard.train.memory.micro_batch import fit_micro_batch
from lossboard.train.preparation.prepare import PreparedData
from lossboard.train.reporting.train_log import TrainLog
from lossboard.train.runs.checkpoint import TrainState


def fit_to_memory(config: Config, prepared: PreparedData, state: TrainState, log: TrainLog, *, workers: int) -> None:
    """Reduces the micro-batch to what the memory plan allows. For training on CPU."""
    state.micro_batch, smaller = fit_micro_batch(config, prepared, state.micro_batch, step=state.step, workers=workers)
    if smaller:
        log.log_finding(smaller)


def halve_micro_batch(state: TrainState, log: TrainLog, *, error: str, can_retry: bool = True) -> None:
    """Halves the micro-batch, so that the step can be repeated. Stops the run if that cannot help."""
    before = state.micro_batch
    if before == 1 or not can_retry:
        log.stop(findings.does_not_fit(state.step + 1, error=error, micro_batch=before))
    state.micro_batch = before // 2
    log.log_finding(findings.out_of_memory(state.step + 1, before=before, after=state.micro_batch))
