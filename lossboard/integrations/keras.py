"""Callback for Keras: `model.fit(..., callbacks=[LossboardCallback("runs/mnist")])`, with any backend.

It has the arguments of `keras.callbacks.TensorBoard`. All series are in one run, with tags such as `train/loss`.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np

from lossboard.doctor.guard import Action, Guard
from lossboard.writer import SummaryWriter

_log = logging.getLogger("lossboard")


class LossboardCallback(keras.callbacks.Callback):
    """Logs metrics per epoch as `train/…` and `val/…`, and the learning rate; `evaluate` as `evaluation/…`.

    * `histogram_freq`: logs histograms of the weights every so many epochs, with `write_images` also images of them.
    * `write_graph`: logs the model's layers.
    * `write_steps_per_second`: logs the training speed, per epoch and with `update_freq` per batch.
    * `update_freq`: "epoch", "batch", or a number N, to log `batch/…` every N batches.
    * `profile_batch`: a batch, or the first and last batch, to profile with TensorFlow or JAX.
    * `embeddings_freq`: logs embedding layers for the projector every so many epochs. `embeddings_metadata` is a file
      with labels, or a dictionary with one for each layer.
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: int | str = "epoch",
        profile_batch: int | str | Sequence[int] = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: str | Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self.update_freq = _as_batches(update_freq)
        self._profiled = _as_range(profile_batch)
        self.writer = SummaryWriter(log_dir)
        self.log_dir = self.writer.log_dir
        self.histogram_freq = histogram_freq
        self.write_graph = write_graph
        self.write_images = write_images
        self.write_steps_per_second = write_steps_per_second
        self.embeddings_freq = embeddings_freq
        self.embeddings_metadata = embeddings_metadata
        self._is_profiling = False
        self._is_training = False
        self._batches = 0
        self._batches_before_epoch = 0
        self._epoch_began = self._batch_began = time.perf_counter()

    def __getstate__(self) -> dict[str, Any]:
        """A copy, as KerasTuner makes one for every trial, opens its own writer in the same directory."""
        return {name: value for name, value in self.__dict__.items() if name != "writer"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.writer = SummaryWriter(self.log_dir)

    def set_model(self, model: Any) -> None:
        super().set_model(model)
        if isinstance(self.embeddings_metadata, Mapping):
            names = {layer.name for layer in _embedding_layers(model)}
            if unknown := set(self.embeddings_metadata) - names:
                raise ValueError(f"embeddings_metadata names layers that are not Embedding layers: {sorted(unknown)}")

    def on_train_begin(self, logs: Mapping[str, Any] | None = None) -> None:
        self._is_training = True
        if self.write_graph:
            try:
                self.writer.add_graph(self.model)
            except NotImplementedError as error:  # a subclassed model has no description
                _log.warning("Could not log the graph of %s: %s", type(self.model).__name__, error)

    def on_epoch_begin(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._epoch_began = time.perf_counter()
        self._batches_before_epoch = self._batches

    def on_train_batch_begin(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        self._batch_began = time.perf_counter()
        if self._batches + 1 == self._profiled[0]:  # Keras counts batches from 1 here
            self._is_profiling = _start_profiler(str(self.log_dir))

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        if self.update_freq and self._batches % self.update_freq == 0:
            found = {f"batch/{name}": value for name, value in (logs or {}).items()}
            if self.write_steps_per_second:
                found["batch/steps_per_second"] = 1 / (time.perf_counter() - self._batch_began)
            self.writer.add_scalars_dict(found, self._batches)
        self._batches += 1
        if self._is_profiling and self._batches >= self._profiled[1]:
            self._stop_profiler()

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        found = {_tag(name): value for name, value in (logs or {}).items()}
        found.update(_learning_rates(self.model))
        if self.write_steps_per_second:
            elapsed_secs = time.perf_counter() - self._epoch_began
            found["train/steps_per_second"] = (self._batches - self._batches_before_epoch) / elapsed_secs
        self.writer.add_scalars_dict(found, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._log_weights(epoch)
        if self.embeddings_freq and epoch % self.embeddings_freq == 0:
            self._log_embeddings(epoch)

    def on_test_end(self, logs: Mapping[str, Any] | None = None) -> None:
        if self._is_training:  # the epoch's metrics have these as val/…
            return
        iterations = getattr(getattr(self.model, "optimizer", None), "iterations", None)
        step = 0 if iterations is None else int(keras.ops.convert_to_numpy(iterations))
        self.writer.add_scalars_dict({f"evaluation/{name}": value for name, value in (logs or {}).items()}, step)
        self.writer.close()

    def on_train_end(self, logs: Mapping[str, Any] | None = None) -> None:
        self._is_training = False
        if self._is_profiling:
            self._stop_profiler()
        self.writer.close()

    def _stop_profiler(self) -> None:
        self._is_profiling = False
        _profiler().stop()

    def _log_weights(self, epoch: int) -> None:
        for weight in self.model.weights:
            values = keras.ops.convert_to_numpy(weight)
            self.writer.add_histogram(weight.path, values, epoch)
            images = _as_images(values) if self.write_images else None
            if images is not None:
                self.writer.add_images(f"{weight.path}/image", images, epoch, dataformats="NHWC")

    def _log_embeddings(self, epoch: int) -> None:
        for layer in _embedding_layers(self.model):
            vectors = keras.ops.convert_to_numpy(layer.embeddings)
            metadata, header = self._labels(layer.name, len(vectors))
            self.writer.add_embedding(vectors, metadata, None, epoch, layer.name, header)

    def _labels(self, layer: str, count: int) -> tuple[list[Any] | None, list[str] | None]:
        """Returns the labels of a layer and the header of their file, which a file with several columns has."""
        given = self.embeddings_metadata
        name = given.get(layer) if isinstance(given, Mapping) else given
        path = Path(str(self.log_dir)) / name if name else None
        if path is None or not path.is_file():
            return None, None
        lines = path.read_text().splitlines()
        if len(lines) == count:
            return list(lines), None
        if len(lines) == count + 1:
            return [line.split("\t") for line in lines[1:]], lines[0].split("\t")
        _log.warning(
            "%s has %d lines for the %d vectors of %s; its labels are left out", path, len(lines), count, layer
        )
        return None, None


class LossboardGuard(keras.callbacks.Callback):
    """Judges the run in a directory while it is trained. `on` is that of `lossboard.Guard`; "stop" ends the training.

    Put it after the callback that logs: `callbacks=[logger, LossboardGuard(logger.log_dir, {"non-finite": "stop"})]`.
    """

    def __init__(self, log_dir: str | os.PathLike[str], on: Mapping[str, Action]) -> None:
        super().__init__()
        self.guard = Guard(log_dir, on)

    def on_train_batch_end(self, batch: int, logs: Mapping[str, Any] | None = None) -> None:
        self.guard.check()
        self._stop_if_asked()

    def on_epoch_end(self, epoch: int, logs: Mapping[str, Any] | None = None) -> None:
        self.guard.check_now()
        self._stop_if_asked()

    def _stop_if_asked(self) -> None:
        if self.guard.should_stop:
            self.model.stop_training = True


def _tag(name: str) -> str:
    """Returns the tag of a metric: `val/loss` for `val_loss`, `train/loss` for `loss`."""
    return f"val/{name.removeprefix('val_')}" if name.startswith("val_") else f"train/{name}"


def _learning_rates(model: Any) -> dict[str, Any]:
    optimizer: Any = getattr(model, "optimizer", None)
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)  # in a LossScaleOptimizer
    if hasattr(optimizer, "optimizers"):
        several = {f"train/learning_rate_{part.name}": part.learning_rate for part in optimizer.optimizers}
        return {tag: keras.ops.convert_to_numpy(rate) for tag, rate in several.items()}
    if not hasattr(optimizer, "learning_rate"):
        return {}
    return {"train/learning_rate": keras.ops.convert_to_numpy(optimizer.learning_rate)}


def _embedding_layers(model: Any) -> list[Any]:
    return [layer for layer in model.layers if isinstance(layer, keras.layers.Embedding)]


def _as_images(weight: Any) -> Any:
    """Returns a weight as images [N, H, W, 1] with values from 0 to 1, or None if it has too many axes."""
    array = np.atleast_1d(np.squeeze(weight)).astype(np.float32)
    if array.ndim == 1:
        array = array[None, :, None, None]
    elif array.ndim == 2:
        array = (array.T if array.shape[0] > array.shape[1] else array)[None, :, :, None]
    elif array.ndim == 3:
        if keras.config.image_data_format() == "channels_last":
            array = array.transpose(2, 0, 1)
        array = array[..., None]
    else:
        return None
    span = float(np.ptp(array)) or 1.0
    return (array - array.min()) / span


def _as_batches(update_freq: int | str) -> int:
    """Returns every how many batches to log. "epoch" is 0, not at all."""
    batches = {"epoch": 0, "batch": 1}.get(update_freq) if isinstance(update_freq, str) else update_freq
    if batches is None:
        raise ValueError(f'update_freq must be "epoch", "batch" or a number of batches, got {update_freq!r}')
    return batches


def _as_range(profile_batch: int | str | Sequence[int]) -> tuple[int, int]:
    """Returns the first and last batch to profile, from 5, (5, 8), "5" or "5,8". Zero profiles none."""
    if isinstance(profile_batch, str):
        profile_batch = [int(batch) for batch in profile_batch.split(",")]
    batches: list[Any] = list(profile_batch) if isinstance(profile_batch, Sequence) else [profile_batch]
    are_batches = len(batches) in (1, 2) and all(isinstance(batch, int) for batch in batches)
    if not are_batches or not 0 <= batches[0] <= batches[-1]:
        raise ValueError(f"profile_batch must be a batch, or the first and the last batch, got {profile_batch!r}")
    return batches[0], batches[-1]


def _profiler() -> Any:
    if keras.backend.backend() == "tensorflow":
        import tensorflow as tf

        return tf.profiler.experimental
    import jax  # type: ignore[import-not-found] # Keras's backend

    class JaxProfiler:
        start = staticmethod(jax.profiler.start_trace)
        stop = staticmethod(jax.profiler.stop_trace)

    return JaxProfiler


def _start_profiler(log_dir: str) -> bool:
    try:
        _profiler().start(log_dir)
    except Exception as error:  # a profiler that is missing or busy must not stop training
        _log.warning("Could not start the profiler: %s: %s", type(error).__name__, error)
        return False
    return True
