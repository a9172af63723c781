"""Callback for Keras: `model.fit(..., callbacks=[LossboardCallback("runs/mnist")])`, with any backend."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import Any

import keras

from lossboard.writer import SummaryWriter

_log = logging.getLogger("lossboard")


class LossboardCallback(keras.callbacks.Callback):
    """Logs metrics per epoch as `train/…` and `val/…`, and the learning rate.

    With `update_freq`, also logs training metrics as `batch/…` every so many batches. With `histogram_freq`, also logs
    histograms of the weights every so many epochs. `write_graph` logs the model's layers.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        *,
        update_freq: int = 0,
        histogram_freq: int = 0,
        write_graph: bool = True,
    ) -> None:
        super().__init__()
        self.writer = SummaryWriter(log_dir)
        self.update_freq = update_freq
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self._batches = 0

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        if self.write_graph:
            try:
                self.writer.add_graph(self.model)
            except NotImplementedError as error:  # a subclassed model has no description
                _log.warning("Could not log the graph of %s: %s", type(self.model).__name__, error)

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        if self.update_freq and self._batches % self.update_freq == 0:
            found = {f"batch/{name}": value for name, value in (logs or {}).items()}
            self.writer.add_scalars_dict(found, self._batches)
        self._batches += 1

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        found = {_tag(name): value for name, value in (logs or {}).items()}
        optimizer = getattr(self.model, "optimizer", None)
        if optimizer is not None:
            found["train/learning_rate"] = keras.ops.convert_to_numpy(optimizer.learning_rate)
        self.writer.add_scalars_dict(found, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            for weight in self.model.weights:
                self.writer.add_histogram(weight.path, keras.ops.convert_to_numpy(weight), epoch)

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        self.writer.close()


def _tag(name: str) -> str:
    """Returns the tag of a metric: `val/loss` for `val_loss`, `train/loss` for `loss`."""
    return f"val/{name.removeprefix('val_')}" if name.startswith("val_") else f"train/{name}"
