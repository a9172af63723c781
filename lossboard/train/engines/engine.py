"""The protocol of a training engine. `loop.py` calls it; `torch_engine.py` and `keras_engine.py` implement it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy.typing as npt

from lossboard.train.data.batches import Ids
from lossboard.train.data.tokenization import EncodedExamples
from lossboard.train.reporting.step_result import Details, StepResult
from lossboard.train.reporting.train_log import TrainLog
from lossboard.train.runs.checkpoint import TrainState
from lossboard.train.runs.run_dir import RunDir
from lossboard.train.tasks.task import Outputs


class Engine(Protocol):
    """A model, its optimizer and its devices, in some framework."""

    def start_epoch(self, batches: Sequence[Ids], first: int) -> None:
        """Announces the batches of an epoch, from `first` on, to an engine that prepares them ahead."""

    def any_worker(self, flag: bool) -> bool:
        """Returns whether the flag is set on any worker. Every worker must call this."""

    def train_step(self, batch: Ids, lr: float, state: TrainState, log: TrainLog) -> tuple[StepResult, Details | None]:
        """Does one optimizer step. A non-finite loss or gradient skips it."""

    def is_adjusting_loss_scale(self, result: StepResult) -> bool:
        """Returns whether the step was skipped only because fp16 is still adjusting its loss scale."""

    def weights(self) -> Iterator[tuple[str, Any]]:
        """Returns tags and values of the trained weights."""

    def predict(self, data: EncodedExamples, rows: Ids, micro_batch: int) -> Outputs:
        """Returns the logits and head inputs of the rows."""

    def attention(self) -> tuple[Ids, list[npt.NDArray[Any]]] | None:
        """Returns one attention array (layer, head, from, to) for each probe sentence; None if memory ran out."""

    def save(self, run: RunDir, state: TrainState, *, links: tuple[str, ...]) -> None:
        """Saves a checkpoint and points `links` at it."""
