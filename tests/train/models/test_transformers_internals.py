"""Contract with transformers: fails with the name of what a new release has changed."""

import dataclasses

import pytest
import torch
import transformers
from transformers import AutoConfig, AutoModelForSequenceClassification

from lossboard.train.models.transformers_internals import (
    BERT_LIKE,
    attention_implementation,
    encoder_layers,
    layer_parts,
)

SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32, "vocab_size": 40}
CHANGED = f"transformers {transformers.__version__} differs; adapt lossboard/train/models/transformers_internals.py"


@pytest.fixture(params=BERT_LIKE)
def model(request):
    config = AutoConfig.for_model(request.param, **SIZES)
    return AutoModelForSequenceClassification.from_config(config, attn_implementation="sdpa").eval()


def test_attention_implementation_follows_the_model(model):
    assert attention_implementation(model.config) == "sdpa", CHANGED
    model.set_attn_implementation("eager")
    assert attention_implementation(model.config) == "eager", CHANGED
    assert attention_implementation(layer_parts(encoder_layers(model)[-1]).config) == "eager", CHANGED


def test_encoder_layers_have_the_expected_parts(model):
    layers = encoder_layers(model)
    assert len(layers) == 2, CHANGED
    parts = layer_parts(layers[-1])
    hidden = torch.ones(1, 3, 16)
    for name in ("query", "key", "value"):
        assert getattr(parts, name)(hidden).shape == hidden.shape, f"{name}: {CHANGED}"
    assert 0 <= parts.dropout.p < 1 and parts.heads == 2, CHANGED
    assert parts.feed_forward(parts.attention_output(hidden, hidden)).shape == hidden.shape, CHANGED
    assert all(getattr(parts, field.name) is not None for field in dataclasses.fields(parts)), CHANGED
