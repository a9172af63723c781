"""Preparation before the first step: reads, checks and tokenizes the data. The same for both engines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lossboard.errors import DataError
from lossboard.findings import Finding
from lossboard.train.config import Config
from lossboard.train.data.batches import Ids
from lossboard.train.data.checks import run_checks
from lossboard.train.data.checks.context import build_context
from lossboard.train.data.examples import TextData, load_data
from lossboard.train.data.imbalance import Weights, balanced_class_weights, balanced_probabilities
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer
from lossboard.train.models.pretrained import resolve_checkpoint

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
    class_weights: Weights | None = None  # of the loss; None = all alike
    sampling: Weights | None = None  # the probability of each training example; None = each once per epoch

    @property
    def classes(self) -> tuple[str, ...]:
        return self.data.classes

    def batch_weight(self, batch: Ids) -> float:
        """Returns the number that the summed loss of a batch is divided by: its examples, or their weights."""
        return float(len(batch) if self.class_weights is None else self.class_weights[self.train.labels[batch]].sum())

    def sample(self, data: EncodedExamples, *, examples: int, seed: int) -> Ids:
        """Returns the same random rows at each call, so their losses can be compared; all rows if `examples` is 0."""
        rows = np.random.default_rng(seed).permutation(len(data))
        return np.sort(rows[:examples]) if examples else np.arange(len(data))

    def probes(self) -> Ids:
        readable = np.flatnonzero(self.validation.lengths <= PROBE_TOKENS)
        return (readable if len(readable) else np.arange(len(self.validation)))[:PROBES]


def prepare(config: Config) -> PreparedData:
    model, data_path = config.inputs()
    checkpoint = resolve_checkpoint(model)
    tokenizer = Tokenizer(checkpoint)
    data = load_data(
        data_path,
        config.val_data,
        text=config.text_column,
        pair=config.pair_column,
        label=config.label_column,
        fraction=config.val_fraction,
        seed=config.split_seed,
        classes=config.classes.split(",") if config.classes else None,
        header=config.header,
    )

    found = run_checks(build_context(data, checkpoint, max_length=config.max_length))
    if any(finding.severity == "error" for finding in found):
        raise RefusedData(data, found)
    train, validation = (
        tokenizer.encode(split, max_length=config.max_length) for split in (data.train, data.validation)
    )
    classes = len(data.classes)
    return PreparedData(
        checkpoint,
        tokenizer,
        data,
        tuple(found),
        train,
        validation,
        class_weights=balanced_class_weights(train.labels, classes=classes) if config.class_weights else None,
        sampling=balanced_probabilities(train.labels, classes=classes) if config.balanced_sampling else None,
    )
