"""The protocol of a forward pass, which `torch_forward.py` and `keras_forward.py` implement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lossboard.train.data.batches import Ids, Padded, sequential_batches
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.models.heads import HEADS
from lossboard.train.tasks.task import Outputs, Task


class Forward(Protocol):
    """A model in some framework, without dropout."""

    def logits(self, inputs: Padded) -> npt.NDArray[Any]:
        """Returns (text, class), or (text, token, class) if the head reads every token."""


def compute_outputs(forward: Forward, task: Task, data: EncodedExamples, rows: Ids, *, batch_size: int) -> Outputs:
    """Returns the outputs for some inputs. Texts of similar length are computed together."""
    outputs = Outputs.empty(
        data.lengths[rows] if HEADS[task.head].reads_every_token else None,
        inputs=len(rows),
        classes=len(task.classes),
        features=0,
    )
    for batch in sequential_batches(data.lengths[rows], batch_size=batch_size):
        logits = forward.logits(data.padded(rows[batch])).astype(np.float32)
        outputs.fill(batch, logits, np.zeros((len(batch), 0), np.float32))
    return outputs


def input_chunks(data: EncodedExamples, *, examples: int) -> Iterator[Ids]:
    """Yields the inputs of `examples` examples at a time, in order. An example may have several inputs."""
    for first in range(0, len(data.split), examples):
        start, stop = np.searchsorted(data.examples, (first, first + examples))
        yield np.arange(start, stop)
