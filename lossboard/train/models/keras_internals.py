"""Adapter for parts of Keras and KerasHub that are not public. No other module of the kit uses them.

`tests/train_tf/test_keras_internals.py` fails if a new release changes one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class LayerParts:
    """The layers inside one encoder layer of KerasHub's BERT."""

    query: Any
    key: Any
    value: Any
    attention_output: Any
    attention_norm: Any
    intermediate: Any
    output: Any
    output_norm: Any


def layer_parts(layer: Any) -> LayerParts:
    attention = layer._self_attention_layer
    return LayerParts(
        query=attention.query_dense,
        key=attention.key_dense,
        value=attention.value_dense,
        attention_output=attention.output_dense,
        attention_norm=layer._self_attention_layer_norm,
        intermediate=layer._feedforward_intermediate_dense,
        output=layer._feedforward_output_dense,
        output_norm=layer._feedforward_layer_norm,
    )


def variable_index(optimizer: Any, variable: Any) -> int:
    """Returns the position of a variable among those that the optimizer was built with."""
    index: int = optimizer._get_variable_index(variable)
    return index


def adam_moments(optimizer: Any, variable: Any) -> tuple[Any, Any]:
    """Returns Adam's running mean of the gradient and of its square."""
    index = variable_index(optimizer, variable)
    return optimizer._momentums[index], optimizer._velocities[index]


def sgd_momentum(optimizer: Any, variable: Any) -> Any:
    """Returns SGD's momentum of a variable."""
    return optimizer.momentums[variable_index(optimizer, variable)]
