"""The protocol of a training engine. `loop.py` calls it; `torch_engine.py` and `keras_engine.py` implement it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy.typing as npt

from lossboard.train.data.batches import Ids
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.reporting.evaluation import Evaluation
from lossboard.train.reporting.step_result import Details, StepResult
from lossboard.train.reporting.train_log import TrainLog
from lossboard.train.runs.checkpoint import TrainState
from lossboard.train.runs.run_dir import RunDir


class Engine(Protocol):
    """A model that learns, in some framework."""

    def start_epoch(self, batches: Sequence[Ids], first: int) -> None:
        """The updates to come, from `first` on, for an engine that prepares them ahead."""

    def train_step(
        self, batch: Ids, rate: float, state: TrainState, log: TrainLog
    ) -> tuple[StepResult, Details | None]:
        """One optimizer step on the batch; none if something in it is not finite."""

    def is_adjusting_loss_scale(self, result: StepResult) -> bool:
        """Whether the skipped update is only fp16 finding its loss scale."""

    def weights(self) -> Iterator[tuple[str, Any]]:
        """Tags and values of the weights that learn."""

    def classify(self, data: EncodedExamples, rows: Ids, micro_batch: int) -> Evaluation:
        """The logits of the rows, and what the head sees of them."""

    def attention(self) -> tuple[Ids, list[npt.NDArray[Any]]] | None:
        """Attention of the probe sentences: for each an array (layer, head, from, to). None if no memory is left."""

    def save(self, run: RunDir, state: TrainState, *, links: tuple[str, ...]) -> None:
        """A checkpoint that `links` point to."""
