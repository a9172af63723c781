"""Training loop, from the first step of a run to the last. The same for both engines."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lossboard.train import findings
from lossboard.train.config import Config, is_due
from lossboard.train.data.batches import Ids, epoch_batches, step_positions
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.distributed.world import is_under_torchrun
from lossboard.train.engines.engine import Engine
from lossboard.train.preparation.prepare import PreparedData
from lossboard.train.reporting.step_result import StepResult
from lossboard.train.reporting.train_log import TrainLog
from lossboard.train.runs.checkpoint import TrainState
from lossboard.train.runs.run_dir import RunDir
from lossboard.train.runs.signals import GracefulStop
from lossboard.train.schedules import lr_factor
from lossboard.train.tasks.metrics import score
from lossboard.train.tasks.own_metrics import with_own_metrics
from lossboard.train.tasks.task import Evaluation, Outputs


def steps_in_epoch(config: Config, prepared: PreparedData) -> int:
    return math.ceil(len(prepared.train) / config.batch_size)


def steps_in_run(config: Config, prepared: PreparedData) -> int:
    steps = config.epochs * steps_in_epoch(config, prepared)
    return min(steps, config.max_steps or steps)


def run(
    config: Config, folder: RunDir, prepared: PreparedData, engine: Engine, state: TrainState, log: TrainLog
) -> Evaluation:
    """Trains from `state` to the end and returns the last evaluation on the full validation set."""
    with GracefulStop(hold_after_error=is_under_torchrun()) as stop:
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
                probabilities=prepared.sampling,
            )
            engine.start_epoch(batches, position.index)
        lr = config.learning_rate * lr_factor(config, position.step, total_steps=total_steps)
        result, details = engine.train_step(batches[position.index], lr, state, log)
        state.step = position.step + 1
        log.log_step(state.step, result, details)
        if not result.is_finite:
            monitor.record_bad_batch(batches[position.index], result, state)
        else:
            state.bad_in_a_row = 0

        ended = state.step == total_steps
        epoch_ended = ended or position.index + 1 == steps_per_epoch
        better, sampled = False, None
        if epoch_ended or is_due(config.eval_interval, state.step):
            full = epoch_ended or monitor.evaluates_fully()
            evaluation, sampled = monitor.evaluate(state, lr=lr, full=full)
            better = full and _update_best(state, evaluation, prepared.metric)
        if epoch_ended or is_due(config.probe_interval, state.step):
            monitor.log_probes(state, sampled)
        stale = 0 < config.patience <= state.stale_evaluations
        if better or ended or stale or is_due(config.save_interval, state.step):
            engine.save(folder, state, links=("best", "last") if better else ("last",))
        if stale:
            log.say(f"Stopped early: {prepared.metric} did not improve in {config.patience} evaluations.")
            break
        # A signal reaches the workers at different steps, so they agree on one.
        if engine.any_worker(stop.requested) and not ended:
            monitor.stop_on_signal(state)
    if evaluation is None or len(evaluation.examples) < len(prepared.data.validation):
        evaluation, _ = monitor.evaluate(state, lr=0.0, full=True)
    log.finish(evaluation, state)
    return evaluation


@dataclass(frozen=True)
class _RunMonitor:
    """Evaluations, probes and failure handling around the training steps."""

    config: Config
    folder: RunDir
    prepared: PreparedData
    engine: Engine
    log: TrainLog

    def log_initial_state(self, state: TrainState) -> None:
        """Logs histograms, attention and embeddings of the untrained model."""
        if self.log.wants_histograms(0):
            self.log.log_histograms(0, self.engine.weights())
        self.log_probes(state, None)

    def log_probes(self, state: TrainState, sampled: Outputs | None) -> None:
        """Logs attention of the probe sentences and embeddings of the validation sample (`sampled`, if known)."""
        if not self.config.probe_interval:
            return
        rows = self._sample()
        sampled = sampled or self.engine.predict(self.prepared.validation, rows, state.micro_batch)
        if sampled.features.shape[1]:
            self.log.log_embeddings(state.step, rows, sampled)
        attention = self.engine.attention()
        if attention is None:
            self.log.log_finding(findings.no_memory_for_probes(state.step))
        else:
            self.log.log_attention(state.step, *attention)

    def _sample(self) -> Ids:
        examples = self.config.eval_iters * self.config.batch_size
        return self.prepared.sample(self.prepared.validation, examples=examples, seed=self.config.split_seed)

    def _sample_size(self) -> int:
        """Returns the number of validation examples in the sample. As many training examples are sampled."""
        return len(np.unique(self.prepared.validation.examples[self._sample()]))

    def evaluates_fully(self) -> bool:
        """Returns whether the evaluations within an epoch cover the full validation set.

        Only those can select the best checkpoint, so --patience needs them. A sample may cover a small set anyway.
        """
        return self.config.patience > 0 or len(self._sample()) == len(self.prepared.validation)

    def evaluate(self, state: TrainState, *, lr: float, full: bool) -> tuple[Evaluation, Outputs]:
        """Logs an estimate on fixed samples and, if `full`, an evaluation on the full validation set.

        Returns the evaluation of the validation rows, and the outputs of the sample among them.
        """
        config, prepared, log = self.config, self.prepared, self.log
        sample = self._sample()
        train_rows = prepared.sample(prepared.train, examples=self._sample_size(), seed=config.split_seed)
        train = self._evaluation(prepared.train, train_rows, self._predict(prepared.train, train_rows, state))
        rows = np.arange(len(prepared.validation)) if full else sample
        outputs = self._predict(prepared.validation, rows, state)
        validation = self._evaluation(prepared.validation, rows, outputs)
        sampled = outputs.part(sample) if full else outputs
        estimate = self._evaluation(prepared.validation, sample, sampled) if full else validation
        log.log_estimate(state.step, train=train, estimate=estimate, lr=lr)
        if full:
            log.log_evaluation(state.step, validation)
        return validation, sampled

    def _predict(self, data: EncodedExamples, rows: Ids, state: TrainState) -> Outputs:
        return self.engine.predict(data, rows, state.micro_batch)

    def _evaluation(self, data: EncodedExamples, rows: Ids, outputs: Outputs) -> Evaluation:
        return with_own_metrics(self.prepared.task.evaluate(outputs, data, rows), self.prepared.hooks)

    def stop_on_signal(self, state: TrainState) -> None:
        self.engine.save(self.folder, state, links=("last",))
        self.log.log_finding(findings.interrupted(state.step, run=str(self.folder.path)))
        self.log.close()
        raise KeyboardInterrupt

    def record_bad_batch(self, batch: Ids, result: StepResult, state: TrainState) -> None:
        """Counts a skipped step and saves its examples. Too many in a row stop the run."""
        if self.engine.is_adjusting_loss_scale(result):
            return
        state.skipped += 1
        state.bad_in_a_row += 1
        file = self.log.save_bad_batch(state.step, batch, result)
        finding = findings.not_finite(
            state.step,
            loss=result.loss,
            grad_norm=result.grad_norm,
            batch_file=file,
            rows=self._non_finite_examples(batch, state),
        )
        self.log.log_finding(finding)
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

    def _non_finite_examples(self, batch: Ids, state: TrainState) -> list[str] | None:
        """Returns the locations of the examples whose output is not finite; None if that is so for all of them."""
        train = self.prepared.train
        bad = batch[~self._predict(train, batch, state).finite()]
        return None if len(bad) == len(batch) else list(train.split.locations(train.examples[bad]))


def _update_best(state: TrainState, evaluation: Evaluation, metric: str) -> bool:
    metrics = evaluation.metrics()
    new_score = score(metrics, metric)
    better = state.best_score is None or new_score > state.best_score
    if better:
        state.best_score, state.best_step, state.best_metrics = new_score, state.step, metrics
    state.stale_evaluations = 0 if better else state.stale_evaluations + 1
    return better
