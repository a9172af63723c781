"""What went wrong in a run, in words: what was seen, and what to try."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lossboard.errors import LossboardError

# Findings that end a run.
ENDS = ("interrupted", "diverged", "does-not-fit")


@dataclass(frozen=True)
class RunFinding:
    code: str
    step: int
    what: str
    advice: str

    def __str__(self) -> str:
        return f"{self.code} at step {self.step}: {self.what} {self.advice}".rstrip()

    def markdown(self) -> str:
        return f"**{self.code}** at step {self.step}: {self.what}\n\n{self.advice}"


class TrainingStopped(LossboardError):
    """Training ended early because going on would have wasted time. Nothing was lost: see the checkpoints."""

    def __init__(self, finding: RunFinding) -> None:
        super().__init__(str(finding))
        self.finding = finding


def out_of_memory(step: int, *, before: int, after: int) -> RunFinding:
    return RunFinding(
        "memory",
        step,
        f"A micro-batch of {before} did not fit in memory. It was halved to {after}, accumulation was doubled, "
        "and the step was done again: the result is the same.",
        f"Start with --micro-batch-size {after} next time; --gradient-checkpointing or a lower --max-length also help.",
    )


def no_memory_to_look(step: int) -> RunFinding:
    return RunFinding(
        "memory",
        step,
        "No memory was left to look at the attention of the probe sentences. Training goes on without.",
        "Leave them out with --probe-interval 0, or make room with a lower --micro-batch-size.",
    )


def not_finite(step: int, *, loss: float, grad_norm: float, batch_file: str) -> RunFinding:
    return RunFinding(
        "not-finite",
        step,
        f"The loss was {loss:g}, the gradient norm {grad_norm:g}. The update was skipped; the weights are as before.",
        f"The examples are in {batch_file}.",
    )


def stopped_not_finite(step: int, *, times: int, rate: float, precision: str, checkpoint: str) -> RunFinding:
    other = "Use --precision fp32 or bf16." if precision == "fp16" else "Look at the kept batches for broken examples."
    return RunFinding(
        "diverged",
        step,
        f"{times} updates in a row had a loss or gradient that is not finite, so training stopped. "
        f"The weights from before are in {checkpoint}.",
        f"Lower the rate (it was {rate:.2g}; try {rate / 10:.2g}), lengthen --warmup, or lower --max-grad-norm. "
        + other,
    )


def interrupted(step: int, *, run: str) -> RunFinding:
    return RunFinding(
        "interrupted",
        step,
        "Training was asked to stop. All up to this update is kept.",
        f"Go on with it: --resume {run}",
    )


def resumed(step: int, *, after: str) -> RunFinding:
    """A run that goes on. `after` is the code of its last finding: without one of an end it had no time for words."""
    if after in ENDS:
        return RunFinding("resumed", step, "The run goes on from its last checkpoint.", "")
    return RunFinding(
        "killed",
        step,
        "The run had ended without a last word: it was killed, or the machine went down. "
        "It goes on from its last checkpoint, to the numbers that it would have had.",
        "If a container's memory limit killed it, the limit is too low for it: see `lossboard plan`.",
    )


def does_not_fit(step: int, *, words: str) -> RunFinding:
    return RunFinding(
        "does-not-fit",
        step,
        f"Not even one example fits in memory, so training stopped ({words}).",
        "Lower --max-length, use --gradient-checkpointing or --frozen-layers, or take a smaller model; "
        "`lossboard plan` says what fits.",
    )


def planned(step: int, *, wanted: int, micro_batch: int, free: str) -> RunFinding:
    return RunFinding(
        "memory",
        step,
        f"By the plan, {wanted} examples at once would not fit in the {free} that are free here. "
        f"The micro-batch is {micro_batch}, and the rest is accumulated: the result is the same.",
        "Set --micro-batch-size to decide for yourself; `lossboard plan` shows the figures.",
    )


def not_learning(step: int, *, loss: float, chance: float, rate: float) -> RunFinding:
    return RunFinding(
        "not-learning",
        step,
        f"The validation loss is {loss:.3f}; always guessing the shares of the classes gives {chance:.3f}. "
        "The model knows less than that.",
        f"The rate ({rate:.2g}) is probably far too high: 1e-5 to 1e-4 suits BERT. "
        "Otherwise check the labels and the tokenizer.",
    )


def chance_loss(labels: Sequence[int]) -> float:
    """The cross-entropy of predicting each class by its share: what any model must beat."""
    total = len(labels)
    return -sum(n / total * math.log(n / total) for n in Counter(labels).values())
