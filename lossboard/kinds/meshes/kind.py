from __future__ import annotations

from hashlib import sha256
from typing import Any

from lossboard.kinds.meshes.decode import MeshStep, mesh_name, meshes
from lossboard.kinds.registry import EventKind


def _fields(point: MeshStep) -> dict[str, Any]:
    parts = {"vertices": point.vertices, "faces": point.faces, "colors": point.colors}
    described = {
        part: {"sha256": sha256(array.tobytes()).hexdigest(), "shape": array.shape}
        for part, array in parts.items()
        if array is not None
    }
    return {"name": point.name, **described}


KIND = EventKind(
    name="meshes",
    plugins=frozenset({"mesh"}),
    visible_tag=mesh_name,
    series=meshes,
    fields=_fields,
    api="lossboard.kinds.meshes.api",
)
