"""Preparation before the first step: reads, checks and tokenizes the data. The same for both engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lossboard.errors import DataError, UsageError
from lossboard.findings import Finding
from lossboard.train.config import Config
from lossboard.train.data.batches import Ids
from lossboard.train.data.columns import GivenColumns
from lossboard.train.data.imbalance import Weights, balanced_class_weights, balanced_probabilities
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.models import own_parts
from lossboard.train.models.pretrained import resolve_checkpoint
from lossboard.train.preparation.checks import run_checks
from lossboard.train.preparation.checks.context import build_context
from lossboard.train.preparation.examples import TextData, find_task, load_data
from lossboard.train.preparation.probes import read_probes
from lossboard.train.tasks.task import Task

# Probe sentences, whose attention is logged over the run: few, and short enough to read.
PROBES = 3
PROBE_TOKENS = 24


class RefusedData(DataError):
    """The data was read, but a check found an error that would make training useless."""

    def __init__(self, data: TextData, findings: Sequence[Finding]) -> None:
        self.data, self.findings = data, findings
        errors = [_describe(finding) for finding in findings if finding.severity == "error"]
        super().__init__("\n".join(["Training did not start, because the checks found errors:", *errors]))


def _describe(finding: Finding) -> str:
    return "\n    ".join([f"  {finding.code}: {finding.message} {finding.advice}", *finding.location.rows])


@dataclass(frozen=True)
class PreparedData:
    checkpoint: Path
    tokenizer: Tokenizer
    data: TextData
    findings: tuple[Finding, ...]
    train: EncodedExamples
    validation: EncodedExamples
    metric: str  # selects the best checkpoint
    class_weights: Weights | None = None  # of the loss; None = all alike
    sampling: Weights | None = None  # the probability of each training example; None = each once per epoch
    own_probes: EncodedExamples | None = None  # the texts in --probe-texts
    hooks: Hooks = NO_HOOKS

    @property
    def task(self) -> Task:
        return self.data.task

    def batch_weight(self, batch: Ids) -> float:
        """Returns the number that the summed loss of a batch is divided by: its targets, or their weights.

        It counts the whole batch, so the split into micro-batches and workers does not change the loss.
        """
        targets = self.train.targets
        return float(targets.count(batch) if self.class_weights is None else targets.weight(batch, self.class_weights))

    def sample(self, data: EncodedExamples, *, examples: int, seed: int) -> Ids:
        """Returns the inputs of random examples, the same ones at each call; of all examples if `examples` is 0."""
        chosen = np.random.default_rng(seed).permutation(len(data.split))
        return np.flatnonzero(np.isin(data.examples, chosen[:examples])) if examples else np.arange(len(data))

    @property
    def probe_data(self) -> EncodedExamples:
        """The texts from which `probes` selects."""
        return self.own_probes or self.validation

    def probes(self) -> Ids:
        if self.own_probes:
            return np.arange(len(self.own_probes))
        readable = np.flatnonzero(self.validation.lengths <= PROBE_TOKENS)
        return (readable if len(readable) else np.arange(len(self.validation)))[:PROBES]


def prepare(config: Config, hooks: Hooks = NO_HOOKS) -> PreparedData:
    model, data_path = config.inputs()
    checkpoint = resolve_checkpoint(model)
    tokenizer = Tokenizer(checkpoint)
    data = load_data(
        data_path,
        config.val_data,
        task=config.task,
        text=config.text_column,
        pair=config.pair_column,
        label=config.label_column,
        fraction=config.val_fraction,
        seed=config.split_seed,
        classes=config.classes.split(",") if config.classes else None,
        header=config.header,
    )
    _check_settings(config, type(data.task), hooks)
    found = run_checks(build_context(data, checkpoint, max_length=config.max_length))
    if any(finding.severity == "error" for finding in found):
        raise RefusedData(data, found)
    train, validation = (
        data.task.encode(tokenizer, split, max_length=config.max_length) for split in (data.train, data.validation)
    )
    labels, classes = data.train.labels, len(data.task.classes)
    file = config.probe_texts
    own_probes = None if file is None else read_probes(file, tokenizer, max_length=config.max_length)
    return PreparedData(
        checkpoint,
        tokenizer,
        data,
        tuple(found),
        train,
        validation,
        metric=config.metric or data.task.metrics[0],
        class_weights=balanced_class_weights(labels, classes=classes) if config.class_weights else None,
        sampling=balanced_probabilities(labels, classes=classes) if config.balanced_sampling else None,
        own_probes=own_probes,
        hooks=hooks,
    )


def check_settings(config: Config, hooks: Hooks) -> None:
    """Raises an error for settings that the task of the data does not have. Called before a run is created."""
    own_parts.check_settings(config, hooks)
    if not (config.metric or config.class_weights or config.balanced_sampling):
        return
    given = GivenColumns(config.text_column, config.pair_column, config.label_column)
    try:
        task = find_task(config.inputs()[1], config.task, given, header=config.header)
    except DataError:
        return  # the run reports data that cannot be read, also on the board
    _check_settings(config, task, hooks)


def _check_settings(config: Config, task: type[Task], hooks: Hooks) -> None:
    metrics = [*task.metrics, *hooks.metrics]
    if config.metric and config.metric not in metrics:
        raise UsageError(f"--metric is {config.metric!r}. For {task.name} it must be one of {', '.join(metrics)}.")
    if (config.class_weights or config.balanced_sampling) and not task.balances_classes:
        setting = "--class-weights" if config.class_weights else "--balanced-sampling"
        raise UsageError(f"{setting} is not supported for {task.name}. Remove it.")
