"""Contract with Keras and KerasHub: fails with the name of what a new release has changed."""

import dataclasses
from pathlib import Path

import keras
import keras_hub
import numpy as np
import pytest

from lossboard.train.models.architecture import read_architecture
from lossboard.train.models.keras_internals import adam_moments, layer_parts, variable_index
from lossboard.train.models.keras_model import Classifier

pytestmark = pytest.mark.tensorflow
CHANGED = (
    f"Keras {keras.__version__} or KerasHub {keras_hub.__version__} differs; "
    "adapt lossboard/train/models/keras_internals.py"
)


def test_encoder_layers_have_the_expected_parts(checkpoint: Path) -> None:
    sizes = read_architecture(checkpoint)
    classifier = Classifier(sizes, classes=2, dropout=0.0, precision="fp32", approximate_gelu=False)
    layers = classifier.encoder.transformer_layers
    assert len(layers) == sizes.layers, CHANGED
    for field in dataclasses.fields(layer_parts(layers[0])):
        part = getattr(layer_parts(layers[0]), field.name)
        names = ("gamma", "beta") if field.name.endswith("norm") else ("kernel", "bias")
        assert all(hasattr(part, name) for name in names), f"{field.name}: {CHANGED}"


def test_adam_moments_belong_to_their_variable() -> None:
    variables = [keras.Variable(np.zeros(shape, "float32")) for shape in ((2,), (3,))]
    optimizer = keras.optimizers.Adam()
    optimizer.build(variables)
    for index, variable in enumerate(variables):
        assert variable_index(optimizer, variable) == index, CHANGED
        assert [moment.shape for moment in adam_moments(optimizer, variable)] == [variable.shape] * 2, CHANGED
