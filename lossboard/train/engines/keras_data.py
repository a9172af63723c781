"""Micro-batches for the TensorFlow engine. tf.data gathers and pads them ahead of the steps that use them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lossboard.train.data.batches import Ids, worker_slice
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.models.tensorflow_import import tf

PARALLEL_CALLS = 2
PREFETCHED = 4
"""Micro-batches that are prepared at a time, and how many wait to be used."""


class Feed:
    """Micro-batches for the `replicas` of this worker, out of `total_replicas` on all workers.

    A micro-batch is padded to its longest text. The batches are the same as for torch.
    """

    def __init__(
        self, data: EncodedExamples, *, targets: Any, first_replica: int, replicas: int, total_replicas: int
    ) -> None:
        self.first_replica, self.replicas, self.total_replicas = first_replica, replicas, total_replicas
        self.data, self.targets = data, targets
        self._pieces: Iterator[Any] = iter(())

    def start(self, batches: Sequence[Ids], micro_batch: int) -> None:
        """Starts preparing these batches in order, in micro-batches of at most `micro_batch` examples."""
        parts = [part for batch in batches for part in self._parts(batch, micro_batch)]
        rows = tf.RaggedTensor.from_row_lengths(np.concatenate([rows for rows, _ in parts]), [len(r) for r, _ in parts])
        weights = tf.constant([weight for _, weight in parts], tf.float32)
        dataset = tf.data.Dataset.from_tensor_slices((rows, weights))
        dataset = dataset.map(self._padded, num_parallel_calls=PARALLEL_CALLS, deterministic=True)
        self._pieces = iter(dataset.prefetch(PREFETCHED).with_options(_without_autotuning()))

    def pieces(self, batch: Ids, micro_batch: int) -> Iterator[list[tuple[Any, ...]]]:
        """Yields the micro-batches of the next step, one for each replica of this worker at a time."""
        for _ in range(self._number(batch, micro_batch)):
            yield [next(self._pieces) for _ in range(self.replicas)]

    def _number(self, batch: Ids, micro_batch: int) -> int:
        return math.ceil(math.ceil(len(batch) / self.total_replicas) / micro_batch)

    def _parts(self, batch: Ids, micro_batch: int) -> Iterator[tuple[Ids, float]]:
        """Yields rows and weight of each micro-batch. A replica with no examples left gets one with weight zero."""
        ranks = range(self.first_replica, self.first_replica + self.replicas)
        mine = [worker_slice(batch, rank=rank, workers=self.total_replicas) for rank in ranks]
        number = self._number(batch, micro_batch)
        for turn in zip(*(np.array_split(rows, number) for rows in mine), strict=True):
            for rows in turn:
                yield (rows, 1.0) if len(rows) else (batch[:1], 0.0)

    def _padded(self, rows: Any, weight: Any) -> tuple[Any, ...]:
        # Read from the memory-mapped tokens by numpy, because a tensor of all tokens would have to be in memory.
        ids, types, mask, targets = tf.numpy_function(self._gather, [rows], [tf.int32] * 3 + [self.targets.dtype])
        for matrix in (ids, types, mask):
            matrix.set_shape((None, None))
        targets.set_shape(self.targets.shape)
        return ids, types, mask, targets, weight

    def _gather(self, rows: Ids) -> list[Any]:
        padded = self.data.padded(rows)
        arrays = (padded.input_ids, padded.token_type_ids, padded.attention_mask)
        targets = self.data.targets.batch(rows, width=padded.input_ids.shape[1])
        return [*(array.astype(np.int32) for array in arrays), targets.astype(self.targets.dtype.as_numpy_dtype)]


def _without_autotuning() -> Any:
    """Returns options without the thread that tunes both numbers.

    That thread may miss that its iterator is destroyed, because TensorFlow wakes it before it marks the iterator as
    canceled. It then sleeps on for up to a minute, and the end of the process waits for it.
    """
    options = tf.data.Options()
    options.autotune.enabled = False
    return options


# Signatures with open sizes, so one traced graph serves all widths.
INPUTS = (tf.TensorSpec((None, None), tf.int32),) * 3


def targets_signature(data: EncodedExamples, dtype: Any) -> Any:
    """Returns the signature of the targets of a micro-batch, e.g. of a class id or of several numbers per example."""
    dimensions = data.targets.batch(np.arange(1), width=int(data.lengths[0])).ndim
    return tf.TensorSpec((None,) * dimensions, dtype)


def piece_signature(targets: Any) -> tuple[Any, ...]:
    """Returns the signature of a micro-batch: token ids, types, mask, targets, weight."""
    return (*INPUTS, targets, tf.TensorSpec((), tf.float32))
