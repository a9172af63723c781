"""Batches: assigns examples to steps. A pure function of seed and epoch, so a resumed run needs no sampler state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.int64]
Lengths = Sequence[int] | Ids

# Texts are sorted by length within groups of this many batches. On movie reviews this gives 2.8 % padding instead of
# 48 % with random batches, and the order stays close to random.
MEGA_BATCHES = 50


def epoch_batches(
    lengths: Lengths,
    *,
    batch_size: int,
    seed: int,
    epoch: int,
    group: bool = True,
    probabilities: npt.NDArray[np.float64] | None = None,
) -> list[Ids]:
    """Returns all examples once, as index arrays of `batch_size`. The last one may be shorter.

    With `probabilities`, as many examples are drawn at random instead, so some occur several times and others never.
    """
    rng = np.random.default_rng([seed, epoch])
    examples = len(lengths)
    order = rng.permutation(examples) if probabilities is None else rng.choice(examples, examples, p=probabilities)
    if not group:
        return _cut(order, batch_size)
    length = np.asarray(lengths)
    batches: list[Ids] = []
    for mega in _cut(order, batch_size * MEGA_BATCHES):
        batches += _cut(mega[np.argsort(-length[mega], kind="stable")], batch_size)
    # Shuffled again, because each mega-batch is sorted from its longest texts to its shortest. The largest batch goes
    # first, so an OOM occurs at the first step.
    rng.shuffle(batches)
    widest = max(range(len(batches)), key=lambda i: length[batches[i]].max() * len(batches[i]))
    batches[0], batches[widest] = batches[widest], batches[0]
    return batches


def sequential_batches(lengths: Lengths, *, batch_size: int) -> list[Ids]:
    """Returns all examples once, sorted by length, for evaluation."""
    return _cut(np.argsort(np.asarray(lengths), kind="stable"), batch_size)


def worker_slice(batch: Ids, *, rank: int, workers: int) -> Ids:
    """Returns one worker's part of a batch: every `workers`-th example, so all get similar lengths."""
    return batch[rank::workers]


def _cut(items: Ids, size: int) -> list[Ids]:
    return [items[start : start + size] for start in range(0, len(items), size)]


@dataclass(frozen=True)
class Padded:
    """Token ids of one micro-batch, padded to its longest text."""

    input_ids: Ids
    attention_mask: Ids
    token_type_ids: Ids

    @property
    def tokens(self) -> int:
        return int(self.attention_mask.sum())

    @property
    def tokens_with_padding(self) -> int:
        return int(self.attention_mask.size)


def pad(ids: Sequence[Ids], types: Sequence[Ids], *, pad_id: int) -> Padded:
    width = max(len(row) for row in ids)
    shape = (len(ids), width)
    input_ids, mask, type_ids = np.full(shape, pad_id, np.int64), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, (tokens, kinds) in enumerate(zip(ids, types, strict=True)):
        input_ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
        type_ids[row, : len(tokens)] = kinds
    return Padded(input_ids, mask, type_ids)


@dataclass(frozen=True)
class StepPosition:
    """Position of a step: its number in the run, its epoch, and its index in the epoch."""

    step: int
    epoch: int
    index: int


def step_positions(*, first_step: int, total_steps: int, steps_per_epoch: int) -> Iterator[StepPosition]:
    for step in range(first_step, total_steps):
        yield StepPosition(step, *divmod(step, steps_per_epoch))
