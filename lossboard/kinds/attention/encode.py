"""Encoding of attention maps: layers × heads × tokens × tokens, one byte per weight.

    tensor  two strings: a JSON head {"layers", "heads", "tokens": [...]}; the weights, row-major, as zlib of bytes

A byte holds 255 · √weight, rounded. A linear byte would round 0.0005 to zero; this one does not, and its error is below
0.004 everywhere. A BERT-base map of 128 tokens takes about 1 MB instead of 9.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lossboard.events.conversions import Array, as_real
from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_strings

Weights = npt.NDArray[np.float32]

PLUGIN = "attention"
FULL_SCALE = 255.0
_METADATA = encode_metadata(PLUGIN)


def as_weights(attentions: Any, tokens: Sequence[str]) -> Weights:
    """Returns layers × heads × tokens × tokens, from one array or one per layer, with or without a batch axis of one.

    Rows and columns beyond the tokens are padding and left out.
    """
    if not isinstance(attentions, Iterable):
        raise TypeError(f"Attentions must be an array, or one for each layer, got {type(attentions).__name__}")
    layers = [_heads(layer) for layer in attentions]
    if not layers or len({layer.shape for layer in layers}) != 1:
        raise ValueError(f"Attentions must be of one shape, got {[list(layer.shape) for layer in layers]}")
    weights = np.stack(layers).astype(np.float32)
    count = len(tokens)
    if not 0 < count <= weights.shape[2]:
        raise ValueError(f"{count} tokens for an attention over {weights.shape[2]} positions")
    return weights[:, :, :count, :count]


def encode(tag: str, weights: Weights, tokens: Sequence[str]) -> bytes:
    if isinstance(tokens, str) or not all(isinstance(token, str) for token in tokens):
        raise TypeError("Tokens must be a list of str, one for each position")
    head = {"layers": weights.shape[0], "heads": weights.shape[1], "tokens": list(tokens)}
    # A row that may attend to nothing is NaN. It counts as no attention.
    bytes_ = np.rint(FULL_SCALE * np.sqrt(np.nan_to_num(weights).clip(0, 1))).astype(np.uint8)
    strings = [json.dumps(head, ensure_ascii=False).encode("utf-8", "replace"), zlib.compress(bytes_.tobytes(), 1)]
    return encode_value(tag, TENSOR, encode_strings(strings), metadata=_METADATA)


def statistics(weights: Weights) -> dict[str, float]:
    """Returns for each head: entropy of its rows in nats, mean attention distance, weight on the first token."""
    safe = np.nan_to_num(weights).clip(1e-12, 1)
    entropy = -(safe * np.log(safe)).sum(-1).mean(-1)
    positions = np.arange(weights.shape[-1])
    distance = (safe * np.abs(positions[:, None] - positions)).sum(-1).mean(-1)
    sink = safe[..., 0].mean(-1)
    found = {"entropy": entropy, "distance": distance, "sink": sink}
    return {
        f"{name}/layer{layer}/head{head}": float(value)
        for name, table in found.items()
        for (layer, head), value in np.ndenumerate(table)
    }


def _heads(layer: object) -> Array:
    array = as_real(layer, "Attentions")
    if array.ndim == 4 and len(array) == 1:
        array = array[0]
    if array.ndim != 3 or array.shape[1] != array.shape[2]:
        shape = list(array.shape)
        raise ValueError(
            f"A layer's attention must be [heads, tokens, tokens], got {shape}: "
            "of a batch, give one example, as [layer[0] for layer in attentions]"
        )
    return array
