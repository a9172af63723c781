"""Adapter for parts of transformers that are not public. No other module of the kit uses them.

`tests/train/models/test_transformers_internals.py` fails if a new release of transformers changes one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# Model types whose encoder layers have the parts below.
BERT_LIKE = ("bert", "roberta", "xlm-roberta", "camembert", "electra")


def attention_implementation(config: Any) -> str:
    """Returns the attention implementation that a model uses, e.g. `sdpa`. Only `eager` returns attention maps."""
    name: str = config._attn_implementation
    return name


def encoder_layers(model: Any) -> Any:
    """Returns the encoder layers of a BERT-like classifier."""
    return model.base_model.encoder.layer


@dataclass(frozen=True)
class LayerParts:
    """The modules of one BERT-like encoder layer."""

    query: Any
    key: Any
    value: Any
    dropout: Any
    heads: int
    attention_output: Any  # takes (mixed values, layer input)
    feed_forward: Any  # takes the attention output
    config: Any


def layer_parts(layer: Any) -> LayerParts:
    attention = layer.attention.self
    return LayerParts(
        query=attention.query,
        key=attention.key,
        value=attention.value,
        dropout=attention.dropout,
        heads=attention.num_attention_heads,
        attention_output=layer.attention.output,
        feed_forward=layer.feed_forward_chunk,
        config=attention.config,
    )
