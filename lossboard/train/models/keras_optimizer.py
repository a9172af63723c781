"""AdamW as torch computes it, with a learning rate and a weight decay for each weight."""

from __future__ import annotations

from typing import Any

from lossboard.train.config import Config
from lossboard.train.models.keras_internals import adam_moments, variable_index
from lossboard.train.models.keras_model import Weight
from lossboard.train.models.layers import lr_scales
from lossboard.train.models.tensorflow_import import keras


class AdamW(keras.optimizers.Adam):  # type: ignore[misc]
    """AdamW with torch's formula. Keras adds epsilon before the bias correction and has only one learning rate."""

    def __init__(self, weights: list[Weight], config: Config) -> None:
        super().__init__(learning_rate=config.learning_rate, epsilon=1e-8)
        self.build([weight.variable for weight in weights])
        self._scales = tuple(lr_scales([weight.name for weight in weights], decay=config.layer_decay))
        # Biases and norms, stored as vectors, do not decay.
        matrices = (weight.inputs is not None or "_embeddings." in weight.name for weight in weights)
        self._decays = tuple(config.weight_decay if matrix else 0.0 for matrix in matrices)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        ops = keras.ops
        index = variable_index(self, variable)
        rate = ops.cast(learning_rate, variable.dtype) * self._scales[index]
        step = ops.cast(self.iterations + 1, variable.dtype)
        mean, square = adam_moments(self, variable)
        self.assign_add(mean, (gradient - mean) * (1 - self.beta_1))
        self.assign_add(square, (gradient * gradient - square) * (1 - self.beta_2))
        self.assign_sub(variable, variable * rate * self._decays[index])
        spread = ops.sqrt(square) / ops.sqrt(1 - ops.power(self.beta_2, step)) + self.epsilon
        self.assign_sub(variable, rate / (1 - ops.power(self.beta_1, step)) * mean / spread)

    def moments(self, weight: Weight) -> tuple[Any, Any]:
        return adam_moments(self, weight.variable)
