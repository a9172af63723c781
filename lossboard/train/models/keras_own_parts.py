"""Own parts of a Keras model: a layer in place of the head, or a model in place of the whole model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lossboard.errors import UsageError
from lossboard.train.config import Config
from lossboard.train.hooks import NO_HOOKS, Hooks
from lossboard.train.models.keras_model import (
    Array,
    Classifier,
    Weight,
    array_of,
    load_classifier,
    own_weights,
    read_tensors,
)
from lossboard.train.models.own_parts import ModelTask, check_outputs, check_source, stored_part
from lossboard.train.models.tensorflow_import import keras


class OwnClassifier:
    """An own model of token ids, types and mask. `model` maps them to (logits, nothing), as that of a Classifier."""

    features = 0  # what its head reads of a text is not known

    def __init__(self, own: Any) -> None:
        names = ("token_ids", "segment_ids", "padding_mask")
        inputs = {name: keras.Input((None,), dtype="int32", name=name) for name in names}
        logits = own(inputs)
        nothing = logits[:, :0] if len(logits.shape) == 2 else logits[:, 0, :0]
        self.model: Any = keras.Model(inputs, (logits, nothing))
        self.weights = own_weights(own)

    def trainable(self, config: Config) -> list[Weight]:
        return [weight for weight in self.weights if weight.variable.trainable]

    def load(self, tensors: Mapping[str, Array]) -> None:
        load_own_weights(self.weights, tensors)

    def tensors(self) -> dict[str, Array]:
        return {weight.name: weight.to_checkpoint(array_of(weight.variable)) for weight in self.weights}


def load_keras_model(
    folder: Path, config: Config, task: ModelTask, hooks: Hooks = NO_HOOKS
) -> Classifier | OwnClassifier:
    """Returns the model of a checkpoint. The hooks may replace its head, or all of it."""
    check_source(folder, hooks)
    if not hooks.own_part:
        return load_classifier(folder, config, classes=len(task.classes), head=task.head)
    own = hooks.head if hooks.model is None else hooks.model
    _check_type(own, hooks.own_part)
    model: Classifier | OwnClassifier = (
        load_classifier(folder, config, classes=len(task.classes), head=task.head, own_head=own)
        if hooks.model is None
        else OwnClassifier(own)
    )
    logits, _ = model.model.output
    check_outputs(logits.shape, head=task.head, classes=task.classes, part=hooks.own_part)
    if stored_part(folder) == hooks.own_part:
        load_own_weights(own_weights(own), read_tensors([folder / "model.safetensors"]))
    return model


def load_own_weights(weights: list[Weight], tensors: Mapping[str, Array]) -> None:
    """Loads the weights of an own part. They must be those of the same part."""
    for weight in weights:
        tensor = tensors.get(weight.name)
        if tensor is None or tensor.shape != tuple(weight.variable.shape):
            stored = "missing" if tensor is None else f"of shape {list(tensor.shape)}"
            raise UsageError(
                f"The checkpoint was trained with another head or model: {weight.name} is {stored}. "
                f"This one has the shape {list(weight.variable.shape)}."
            )
        weight.variable.assign(tensor)


def _check_type(own: Any, part: str) -> None:
    if not isinstance(own, keras.layers.Layer):
        raise UsageError(f"The own {part} is a {type(own).__name__}. With TensorFlow, use a Keras layer or model.")
