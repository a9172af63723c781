"""AdamW and SGD as torch computes them, with a learning rate and a weight decay for each weight."""

from __future__ import annotations

from typing import Any

from lossboard.train.config import Config
from lossboard.train.models.keras_internals import adam_moments, sgd_momentum, variable_index
from lossboard.train.models.keras_model import Weight
from lossboard.train.models.layers import lr_scales
from lossboard.train.models.tensorflow_import import keras
from lossboard.train.optimizers import SGD_MOMENTUM


def make_optimizer(weights: list[Weight], config: Config) -> AdamW | SGD:
    return SGD(weights, config) if config.optimizer == "sgd" else AdamW(weights, config)


def _scales(weights: list[Weight], config: Config) -> tuple[float, ...]:
    return tuple(lr_scales([weight.name for weight in weights], decay=config.layer_decay))


def _decays(weights: list[Weight], config: Config) -> tuple[float, ...]:
    """Returns the weight decay of each weight. Biases and norms, stored as vectors, do not decay."""
    return tuple(config.weight_decay if weight.is_matrix else 0.0 for weight in weights)


class AdamW(keras.optimizers.Adam):  # type: ignore[misc]
    """AdamW with torch's formula. Keras adds epsilon before the bias correction and has only one learning rate."""

    def __init__(self, weights: list[Weight], config: Config) -> None:
        super().__init__(learning_rate=config.learning_rate, epsilon=1e-8)
        self.build([weight.variable for weight in weights])
        self._scales, self._decays = _scales(weights, config), _decays(weights, config)

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

    def state_of(self, weight: Weight) -> dict[str, Any]:
        """Returns the state of a weight, under torch's names."""
        return dict(zip(("exp_avg", "exp_avg_sq"), adam_moments(self, weight.variable), strict=True))


class SGD(keras.optimizers.SGD):  # type: ignore[misc]
    """SGD with torch's formula, in which the momentum does not contain the learning rate."""

    def __init__(self, weights: list[Weight], config: Config) -> None:
        super().__init__(learning_rate=config.learning_rate, momentum=SGD_MOMENTUM)
        self.build([weight.variable for weight in weights])
        self._scales, self._decays = _scales(weights, config), _decays(weights, config)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        index = variable_index(self, variable)
        rate = keras.ops.cast(learning_rate, variable.dtype) * self._scales[index]
        momentum = sgd_momentum(self, variable)
        self.assign(momentum, momentum * SGD_MOMENTUM + gradient + variable * self._decays[index])
        self.assign_sub(variable, rate * momentum)

    def state_of(self, weight: Weight) -> dict[str, Any]:
        """Returns the state of a weight, under torch's name."""
        return {"momentum_buffer": sgd_momentum(self, weight.variable)}
