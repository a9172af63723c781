"""Meshes and point clouds: one value each for vertices, faces and colors, float32 tensors [batch, N, 3].

    MeshPluginData  version 1 · name 2 · content_type 3 · json_config 5 · shape 6 (packed) · components 7

`components` has bit 2^content_type set for every part that belongs to the mesh.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lossboard.events.conversions import as_real
from lossboard.events.summary import TENSOR, encode_metadata, encode_value
from lossboard.events.tensors import encode_array
from lossboard.events.warn_once import warn_once
from lossboard.events.wire import text_field, uint_field, uints_field

_VERTEX, _FACE, _COLOR = 1, 2, 3
_NAMES = {_VERTEX: "VERTEX", _FACE: "FACE", _COLOR: "COLOR"}


def encode(
    tag: str,
    vertices: object,
    colors: object | None,
    faces: object | None,
    config: Mapping[str, Any] | None,
    *,
    numbered: bool = False,
) -> list[bytes]:
    """Encodes the parts of a mesh. `numbered` gives them tensorboardX's tags, <tag>_1, instead of <tag>_VERTEX."""
    parts = {_VERTEX: vertices, _FACE: faces, _COLOR: colors}
    present = {kind: part for kind, part in parts.items() if part is not None}
    if _VERTEX not in present:
        warn_once("A mesh without vertices cannot be shown")
    components = sum(1 << kind for kind in present)
    try:
        settings = "{}" if config is None else json.dumps(config, sort_keys=True)
    except TypeError as error:
        raise TypeError(f"A mesh's config_dict must be a dictionary that JSON can hold: {error}") from None
    return [
        _part(f"{tag}_{kind if numbered else _NAMES[kind]}", tag, kind, part, components, settings)
        for kind, part in present.items()
    ]


def _part(name: str, tag: str, kind: int, part: object, components: int, settings: str) -> bytes:
    array = as_real(part, f"A mesh's {_NAMES[kind].lower()} array").astype(np.float32)
    if array.ndim < 3:
        raise ValueError(f"A mesh's {_NAMES[kind].lower()} array must be [batch, N, 3], got {list(array.shape)}")
    array = array.reshape(*array.shape[:2], math.prod(array.shape[2:]))
    if array.shape[2] != 3:
        warn_once("A mesh whose arrays are not [batch, N, 3] cannot be shown")
    labels = text_field(2, tag) + uint_field(3, kind) + text_field(5, settings)
    content = labels + uints_field(6, array.shape) + uint_field(7, components)
    return encode_value(name, TENSOR, encode_array(array), metadata=encode_metadata("mesh", content))
