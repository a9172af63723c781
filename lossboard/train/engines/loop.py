"""A run from its first update to its last, the same for both engines; an engine's `Engine` knows what an update is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lossboard.train import findings
from lossboard.train.config import Config, is_due
from lossboard.train.data.batches import Ids, epoch_batches, step_positions
from lossboard.train.data.prepare import PreparedData
from lossboard.train.engines.engine import Engine
from lossboard.train.reporting.evaluation import Evaluation
from lossboard.train.reporting.step_result import StepResult
from lossboard.train.reporting.train_log import TrainLog
from lossboard.train.runs.checkpoint import TrainState
from lossboard.train.runs.run_dir import RunDir
from lossboard.train.runs.signals import GracefulStop
from lossboard.train.schedules import lr_factor


def steps_in_epoch(config: Config, prepared: PreparedData) -> int:
    return math.ceil(len(prepared.train) / config.batch_size)


def steps_in_run(config: Config, prepared: PreparedData) -> int:
    steps = config.epochs * steps_in_epoch(config, prepared)
    return min(steps, config.max_steps or steps)


def run(
    config: Config, folder: RunDir, prepared: PreparedData, engine: Engine, state: TrainState, log: TrainLog
) -> Evaluation:
    """Trains from `state` to the end and returns the last evaluation on the whole validation set."""
    # Of several workers each would stop at another update, and wait for the others for ever.
    with GracefulStop(enabled=log.world.size == 1) as stop:
        return _run(config, folder, prepared, engine, state, log, stop)


def _run(
    config: Config,
    folder: RunDir,
    prepared: PreparedData,
    engine: Engine,
    state: TrainState,
    log: TrainLog,
    stop: GracefulStop,
) -> Evaluation:
    steps_per_epoch, total_steps = steps_in_epoch(config, prepared), steps_in_run(config, prepared)
    monitor = _RunMonitor(config, folder, prepared, engine, log)
    if state.step == 0:
        monitor.log_initial_state(state)
    else:
        log.log_finding(findings.resumed(state.step, after=folder.last_finding_code()))

    epoch, batches = -1, list[Ids]()
    evaluation: Evaluation | None = None
    for position in step_positions(first_step=state.step, total_steps=total_steps, steps_per_epoch=steps_per_epoch):
        if position.epoch != epoch:
            epoch = position.epoch
            batches = epoch_batches(
                prepared.train.lengths,
                batch_size=config.batch_size,
                seed=config.seed,
                epoch=epoch,
                group=config.group_by_length,
            )
            engine.start_epoch(batches, position.index)
        rate = config.learning_rate * lr_factor(config, position.step, total_steps=total_steps)
        result, details = engine.train_step(batches[position.index], rate, state, log)
        state.step = position.step + 1
        log.log_step(state.step, result, details)
        if not result.finite:
            monitor.record_bad_batch(batches[position.index], result, state)
        else:
            state.bad_in_a_row = 0

        ended = state.step == total_steps
        whole = ended or position.index + 1 == steps_per_epoch
        better, estimate = False, None
        if whole or is_due(config.eval_interval, state.step):
            evaluation, estimate = monitor.evaluate(state, rate=rate, whole=whole or not config.eval_iters)
            if whole or not config.eval_iters:
                better = _update_best(state, evaluation.score(config.metric))
        if whole or is_due(config.probe_interval, state.step):
            monitor.log_probes(state, estimate)
        stale = 0 < config.patience <= state.stale_evaluations
        if better or ended or stale or is_due(config.save_interval, state.step):
            engine.save(folder, state, links=("best", "last") if better else ("last",))
        if stale:
            log.say(f"Stopped early: no better {config.metric} in {config.patience} evaluations.")
            break
        if stop.requested and not ended:
            monitor.stop_on_signal(state)
    if evaluation is None or len(evaluation.labels) < len(prepared.validation):
        evaluation, _ = monitor.evaluate(state, rate=0.0, whole=True)
    log.finish(evaluation, state)
    return evaluation


@dataclass(frozen=True)
class _RunMonitor:
    """What a run does besides its updates: looking at what was learnt, and at what went wrong."""

    config: Config
    folder: RunDir
    prepared: PreparedData
    engine: Engine
    log: TrainLog

    def log_initial_state(self, state: TrainState) -> None:
        """What the model is before it learns: the first step of histograms, attention and embeddings."""
        if self.log.wants_histograms(0):
            self.log.log_histograms(0, self.engine.weights())
        self.log_probes(state, None)

    def log_probes(self, state: TrainState, estimate: Evaluation | None) -> None:
        """The attention of the probe sentences, and the embeddings of the validation sample (`estimate`, if known)."""
        if not self.config.probe_interval:
            return
        rows = self._sample()
        estimate = estimate or self.engine.classify(self.prepared.validation, rows, state.micro_batch)
        self.log.log_embeddings(state.step, rows, estimate)
        seen = self.engine.attention()
        if seen is None:
            self.log.log_finding(findings.no_memory_for_probes(state.step))
        else:
            self.log.log_attention(state.step, *seen)

    def _sample(self) -> Ids:
        config, prepared = self.config, self.prepared
        return prepared.sample(prepared.validation, examples=config.eval_iters * config.batch_size, seed=config.seed)

    def evaluate(self, state: TrainState, *, rate: float, whole: bool) -> tuple[Evaluation, Evaluation]:
        """The losses of fixed samples of both sides, and all there is to say of the whole validation set.

        Returns the evaluation of the validation rows that were asked for, and of the sample among them.
        """
        config, prepared, log = self.config, self.prepared, self.log
        sample = self._sample()
        train_rows = prepared.sample(prepared.train, examples=len(sample), seed=config.seed)
        train = self.engine.classify(prepared.train, train_rows, state.micro_batch)
        rows = np.arange(len(prepared.validation)) if whole else sample
        validation = self.engine.classify(prepared.validation, rows, state.micro_batch)
        estimate = validation.part(sample) if whole else validation
        log.log_estimate(state.step, train=train, estimate=estimate, rate=rate)
        if whole:
            log.log_evaluation(state.step, validation)
        return validation, estimate

    def stop_on_signal(self, state: TrainState) -> None:
        self.engine.save(self.folder, state, links=("last",))
        self.log.log_finding(findings.interrupted(state.step, run=str(self.folder.path)))
        self.log.close()
        raise KeyboardInterrupt

    def record_bad_batch(self, batch: Ids, result: StepResult, state: TrainState) -> None:
        """Counts a skipped update and keeps its examples; too many in a row end the run, the weights as they were."""
        if self.engine.is_adjusting_loss_scale(result):
            return
        state.skipped += 1
        state.bad_in_a_row += 1
        file = self.log.save_bad_batch(state.step, batch, result)
        norm = result.grad_norm
        self.log.log_finding(findings.not_finite(state.step, loss=result.loss, grad_norm=norm, batch_file=file))
        if state.bad_in_a_row < self.config.max_bad_steps:
            return
        self.engine.save(self.folder, state, links=("last",))
        kept = "best" if state.best_score is not None else "last"
        finding = findings.diverged(
            state.step,
            times=state.bad_in_a_row,
            learning_rate=self.config.learning_rate,
            precision=self.config.precision,
            checkpoint=str(self.folder.checkpoints / kept),
        )
        self.log.stop(finding)


def _update_best(state: TrainState, score: float) -> bool:
    better = state.best_score is None or score > state.best_score
    if better:
        state.best_score, state.best_step = score, state.step
    state.stale_evaluations = 0 if better else state.stale_evaluations + 1
    return better
