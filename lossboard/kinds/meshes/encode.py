"""Encoding of meshes and point clouds: one float32 tensor [batch, N, 3] each for vertices, faces and colors.

    MeshPluginData  version 1 · name 2 · content_type 3 · json_config 5 · shape 6 (packed) · components 7

`components` has bit 2^content_type set for every part that belongs to the mesh.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from lossboard.events.conversions import as_real
from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_array
from lossboard.events.wire import text_field, uint_field, uints_field

_VERTEX, _FACE, _COLOR = 1, 2, 3
_NAMES = {_VERTEX: "VERTEX", _FACE: "FACE", _COLOR: "COLOR"}


def encode(
    tag: str, vertices: object, colors: object | None, faces: object | None, config: Mapping[str, Any] | None
) -> list[bytes]:
    parts = {_VERTEX: vertices, _FACE: faces, _COLOR: colors}
    present = {kind: part for kind, part in parts.items() if part is not None}
    if _VERTEX not in present:
        raise TypeError("A mesh needs vertices, got None")
    components = sum(1 << kind for kind in present)
    try:
        settings = "{}" if config is None else json.dumps(config, sort_keys=True)
    except TypeError as error:
        raise TypeError(f"A mesh's config_dict must be a dictionary that JSON can hold: {error}") from None
    return [_part(tag, kind, part, components, settings) for kind, part in present.items()]


def _part(tag: str, kind: int, part: object, components: int, settings: str) -> bytes:
    array = as_real(part, f"A mesh's {_NAMES[kind].lower()} array").astype(np.float32)
    if array.ndim != 3 or array.shape[2] != 3:
        raise ValueError(f"A mesh's {_NAMES[kind].lower()} array must be [batch, N, 3], got {list(array.shape)}")
    labels = text_field(2, tag) + uint_field(3, kind) + text_field(5, settings)
    content = labels + uints_field(6, array.shape) + uint_field(7, components)
    return encode_value(f"{tag}_{_NAMES[kind]}", TENSOR, encode_array(array), metadata=encode_metadata("mesh", content))
