"""Forward pass with TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy.typing as npt

from lossboard.train.config import Config
from lossboard.train.data.batches import Padded
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.models.keras_model import array_of
from lossboard.train.models.keras_own_parts import load_keras_model
from lossboard.train.models.tensorflow_import import tf
from lossboard.train.tasks.task import Task


class KerasForward:
    def __init__(self, checkpoint: Path, task: Task, *, hooks: Hooks = NO_HOOKS) -> None:
        self.model: Any = load_keras_model(checkpoint, Config(), task, hooks).model
        # Open sizes, so one traced graph serves all widths.
        self._infer = tf.function(self._call, input_signature=(tf.TensorSpec((None, None), tf.int32),) * 3)

    def logits(self, inputs: Padded) -> npt.NDArray[Any]:
        arrays = (inputs.input_ids, inputs.token_type_ids, inputs.attention_mask)
        return array_of(self._infer(*(tf.constant(array, tf.int32) for array in arrays)))

    def _call(self, ids: Any, types: Any, mask: Any) -> Any:
        logits, _ = self.model({"token_ids": ids, "segment_ids": types, "padding_mask": mask}, training=False)
        return tf.cast(logits, tf.float32)
