"""A run from its first update to its last, the same for both engines; an engine's `Learner` knows what an update is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lossboard.train import findings
from lossboard.train.batches import Ids, epoch_batches, places
from lossboard.train.checkpoint import Progress
from lossboard.train.config import Config, due
from lossboard.train.evaluation import Evaluation
from lossboard.train.interruption import Interruption
from lossboard.train.log import Details, TrainLog, Update
from lossboard.train.prepare import Prepared
from lossboard.train.runs import RunFolder
from lossboard.train.schedules import rate_factor
from lossboard.train.tokenize import Encoded


class Learner(Protocol):
    """A model that learns, in some framework."""

    def start_epoch(self, batches: Sequence[Ids], first: int) -> None:
        """The updates to come, from `first` on, for an engine that prepares them ahead."""

    def update(self, batch: Ids, rate: float, progress: Progress, log: TrainLog) -> tuple[Update, Details | None]:
        """One optimizer step on the batch; none if something in it is not finite."""

    def seeks_scale(self, update: Update) -> bool:
        """Whether the skipped update is only fp16 finding its loss scale."""

    def weights(self) -> Iterator[tuple[str, Any]]:
        """Tags and values of the weights that learn."""

    def classify(self, data: Encoded, rows: Ids, micro_batch: int) -> Evaluation:
        """The logits of the rows, and what the head sees of them."""

    def attention(self) -> tuple[Ids, list[npt.NDArray[Any]]] | None:
        """Attention of the probe sentences: for each an array (layer, head, from, to). None if no memory is left."""

    def save(self, run: RunFolder, progress: Progress, *, links: tuple[str, ...]) -> None:
        """A checkpoint that `links` point to."""


def updates_in_epoch(config: Config, prepared: Prepared) -> int:
    return math.ceil(len(prepared.train) / config.batch_size)


def updates_in_run(config: Config, prepared: Prepared) -> int:
    updates = config.epochs * updates_in_epoch(config, prepared)
    return min(updates, config.max_steps or updates)


def run(
    config: Config, folder: RunFolder, prepared: Prepared, learner: Learner, progress: Progress, log: TrainLog
) -> Evaluation:
    """Trains from `progress` to the end and returns the last evaluation on the whole validation set."""
    # Of several workers each would stop at another update, and wait for the others for ever.
    with Interruption(heard=log.world.size == 1) as interruption:
        return _run(config, folder, prepared, learner, progress, log, interruption)


def _run(
    config: Config,
    folder: RunFolder,
    prepared: Prepared,
    learner: Learner,
    progress: Progress,
    log: TrainLog,
    interruption: Interruption,
) -> Evaluation:
    steps_per_epoch, total_steps = updates_in_epoch(config, prepared), updates_in_run(config, prepared)
    guide = _Guide(config, folder, prepared, learner, log)
    if progress.step == 0:
        guide.look_before(progress)
    else:
        log.finding(findings.resumed(progress.step, after=folder.last_finding()))

    epoch, batches = -1, list[Ids]()
    result: Evaluation | None = None
    for place in places(first_step=progress.step, total_steps=total_steps, steps_per_epoch=steps_per_epoch):
        if place.epoch != epoch:
            epoch = place.epoch
            batches = epoch_batches(
                prepared.train.lengths,
                batch_size=config.batch_size,
                seed=config.seed,
                epoch=epoch,
                group=config.group_by_length,
            )
            learner.start_epoch(batches, place.index)
        rate = config.learning_rate * rate_factor(config, place.step, total_steps=total_steps)
        update, details = learner.update(batches[place.index], rate, progress, log)
        progress.step = place.step + 1
        log.update(progress.step, update, details)
        if not update.finite:
            guide.keep_bad_batch(batches[place.index], update, progress)
        else:
            progress.bad_in_a_row = 0

        ended = progress.step == total_steps
        whole = ended or place.index + 1 == steps_per_epoch
        better, estimate = False, None
        if whole or due(config.eval_interval, progress.step):
            result, estimate = guide.evaluate(progress, rate=rate, whole=whole or not config.eval_iters)
            if whole or not config.eval_iters:
                better = _note_score(progress, result.score(config.metric))
        if whole or due(config.probe_interval, progress.step):
            guide.look_inside(progress, estimate)
        stale = 0 < config.patience <= progress.stale_evaluations
        if better or ended or stale or due(config.save_interval, progress.step):
            learner.save(folder, progress, links=("best", "last") if better else ("last",))
        if stale:
            log.say(f"Stopped early: no better {config.metric} in {config.patience} evaluations.")
            break
        if interruption.asked and not ended:
            guide.stop_as_asked(progress)
    if result is None or len(result.labels) < len(prepared.validation):
        result, _ = guide.evaluate(progress, rate=0.0, whole=True)
    log.finish(result, progress)
    return result


@dataclass(frozen=True)
class _Guide:
    """What a run does besides its updates: looking at what was learnt, and at what went wrong."""

    config: Config
    folder: RunFolder
    prepared: Prepared
    learner: Learner
    log: TrainLog

    def look_before(self, progress: Progress) -> None:
        """What the model is before it learns: the first step of histograms, attention and embeddings."""
        if self.log.wants_histograms(0):
            self.log.histograms(0, self.learner.weights())
        self.look_inside(progress, None)

    def look_inside(self, progress: Progress, estimate: Evaluation | None) -> None:
        """The attention of the probe sentences, and the embeddings of the validation sample (`estimate`, if known)."""
        if not self.config.probe_interval:
            return
        rows = self._sample()
        estimate = estimate or self.learner.classify(self.prepared.validation, rows, progress.micro_batch)
        self.log.embeddings(progress.step, rows, estimate)
        seen = self.learner.attention()
        if seen is None:
            self.log.finding(findings.no_memory_to_look(progress.step))
        else:
            self.log.attention(progress.step, *seen)

    def _sample(self) -> Ids:
        config, prepared = self.config, self.prepared
        return prepared.sample(prepared.validation, examples=config.eval_iters * config.batch_size, seed=config.seed)

    def evaluate(self, progress: Progress, *, rate: float, whole: bool) -> tuple[Evaluation, Evaluation]:
        """The losses of fixed samples of both sides, and all there is to say of the whole validation set.

        Returns the evaluation of the validation rows that were asked for, and of the sample among them.
        """
        config, prepared, log = self.config, self.prepared, self.log
        sample = self._sample()
        train_rows = prepared.sample(prepared.train, examples=len(sample), seed=config.seed)
        train = self.learner.classify(prepared.train, train_rows, progress.micro_batch)
        rows = np.arange(len(prepared.validation)) if whole else sample
        validation = self.learner.classify(prepared.validation, rows, progress.micro_batch)
        estimate = validation.part(sample) if whole else validation
        log.evaluation(progress.step, train=train, estimate=estimate, rate=rate)
        if whole:
            log.whole_evaluation(progress.step, validation)
        return validation, estimate

    def stop_as_asked(self, progress: Progress) -> None:
        self.learner.save(self.folder, progress, links=("last",))
        self.log.finding(findings.interrupted(progress.step, run=str(self.folder.path)))
        self.log.close()
        raise KeyboardInterrupt

    def keep_bad_batch(self, batch: Ids, update: Update, progress: Progress) -> None:
        """Counts a skipped update and keeps its examples; too many in a row end the run, the weights as they were."""
        if self.learner.seeks_scale(update):
            return
        progress.skipped += 1
        progress.bad_in_a_row += 1
        file = self.log.keep_batch(progress.step, batch, update)
        norm = update.grad_norm
        self.log.finding(findings.not_finite(progress.step, loss=update.loss, grad_norm=norm, batch_file=file))
        if progress.bad_in_a_row < self.config.max_bad_steps:
            return
        self.learner.save(self.folder, progress, links=("last",))
        kept = "best" if progress.best_score is not None else "last"
        finding = findings.stopped_not_finite(
            progress.step,
            times=progress.bad_in_a_row,
            rate=self.config.learning_rate,
            precision=self.config.precision,
            checkpoint=str(self.folder.checkpoints / kept),
        )
        self.log.stop(finding)


def _note_score(progress: Progress, score: float) -> bool:
    better = progress.best_score is None or score > progress.best_score
    if better:
        progress.best_score, progress.best_step = score, progress.step
    progress.stale_evaluations = 0 if better else progress.stale_evaluations + 1
    return better
