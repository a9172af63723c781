"""Encoding of attention maps. One call logs a summary under its tag, and the maps of each layer under `tag//layer/0` …

    summary  three strings: a JSON head; measures, float32, heads × measures; thumbnails, one zlib stream of bytes
    layer    a string for each head: zlib of queries × keys bytes (see packing.py)

    head     {"version": 2, "tokens", "keys"?, "kind", "causal", "grid"?, "thumbnail": [rows, columns], "measures",
              "maps": bool, "layers": [{"layer", "heads": [...], "kv_heads"?}]}

The summary has the same step and wall time as its layers and is written last, so a summary that can be read has its
maps. So a reader of measures over a thousand steps skips the maps, and one that shows a head reads a single layer.

Files written before have one value per call, with two strings: {"layers", "heads", "tokens"}, and one zlib stream of
layers × heads × tokens × tokens bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_strings
from lossboard.kinds.attention.measures import MEASURES, Table
from lossboard.kinds.attention.packing import Bytes, compress, thumbnail_shape, thumbnails, to_bytes
from lossboard.kinds.attention.weights import AttentionMaps

PLUGIN = "attention"
VERSION = 2
Keep = Literal["auto", "maps", "summary"]

MAX_AUTO_WEIGHTS = 1 << 27
"""With `keep="auto"`, larger maps are left out. As a byte each, and packed, they take about 64 MB."""
_LAYER_TAG = "{}//layer/{}"
_METADATA = encode_metadata(PLUGIN)


def layer_tag(tag: str, index: int) -> str:
    """Returns the stored tag of the maps of a layer. `index` counts the logged layers."""
    return _LAYER_TAG.format(tag, index)


def visible_tag(stored: str) -> str | None:
    """Returns None for maps of a layer, which users see as part of their summary."""
    start, separator, index = stored.rpartition("//layer/")
    return None if separator and start and index.isdigit() else stored


def keeps_maps(maps: AttentionMaps, keep: Keep) -> bool:
    if keep not in ("auto", "maps", "summary"):
        raise ValueError(f"keep must be 'auto', 'maps' or 'summary', got {keep!r}")
    return keep == "maps" or (keep == "auto" and sum(layer.weights.size for layer in maps.layers) <= MAX_AUTO_WEIGHTS)


def encode(tag: str, maps: AttentionMaps, measured: Table, *, keep: Keep = "auto") -> Iterator[bytes]:
    """Yields the values of one call, to be logged as one event each."""
    has_maps = keeps_maps(maps, keep)
    small: list[Bytes] = []
    for index, layer in enumerate(maps.layers):
        packed = to_bytes(layer.weights)
        small.append(thumbnails(packed))
        if has_maps:
            heads = encode_strings([compress(head) for head in packed])
            yield encode_value(layer_tag(tag, index), TENSOR, heads, metadata=_METADATA)
    strings = [_head(maps, has_maps), measured.astype("<f4").tobytes(), compress(np.concatenate(small))]
    yield encode_value(tag, TENSOR, encode_strings(strings), metadata=_METADATA)


def _head(maps: AttentionMaps, has_maps: bool) -> bytes:
    head: dict[str, Any] = {
        "version": VERSION,
        "tokens": maps.tokens,
        "kind": maps.kind,
        "causal": maps.is_causal,
        "thumbnail": thumbnail_shape(len(maps.tokens), len(maps.keys)),
        "measures": MEASURES,
        "maps": has_maps,
        "layers": [
            {"layer": layer.number, "heads": layer.numbers}
            | ({} if layer.kv_heads is None else {"kv_heads": layer.kv_heads})
            for layer in maps.layers
        ],
    }
    if maps.keys != maps.tokens:
        head["keys"] = maps.keys
    if maps.grid:
        head["grid"] = maps.grid
    return json.dumps(head, ensure_ascii=False).encode("utf-8", "replace")


def statistics(maps: AttentionMaps, measured: Table) -> dict[str, float]:
    """Returns scalars for each head: entropy in nats, mean attention distance, weight on the first token."""
    heads = [f"layer{layer.number}/head{head}" for layer in maps.layers for head in layer.numbers]
    names = {"entropy": "entropy", "distance": "distance", "sink": "first"}
    return {
        f"{name}/{head}": float(value)
        for name, measure in names.items()
        for head, value in zip(heads, measured[:, MEASURES.index(measure)], strict=True)
    }
