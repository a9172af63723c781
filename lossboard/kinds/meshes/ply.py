"""Meshes as PLY files, binary little-endian: vertices, their colors if there are any, and triangles.

What the file lacks of the logged mesh is said in its comments.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lossboard.kinds.meshes.sample import MeshSample

_CHUNK_ROWS = 1 << 16
_POSITION = [(axis, "<f4") for axis in "xyz"]
_COLOR = [(name, "u1") for name in ("red", "green", "blue")]
_FACE = np.dtype([("count", "u1"), ("vertices", "<i4", (3,))])


def ply_parts(mesh: MeshSample) -> Iterator[bytes]:
    """Yields the parts of a file."""
    has_colors = len(mesh.colors) > 0
    yield _header(mesh, has_colors).encode()
    vertex = np.dtype(_POSITION + (_COLOR if has_colors else []))
    for start in range(0, len(mesh.vertices), _CHUNK_ROWS):
        part = mesh.vertices[start : start + _CHUNK_ROWS]
        rows = np.zeros(len(part), vertex)
        for index, (axis, _) in enumerate(_POSITION):
            rows[axis] = part[:, index]
        for index, (name, _) in enumerate(_COLOR if has_colors else []):
            rows[name] = mesh.colors[start : start + _CHUNK_ROWS, index]
        yield rows.tobytes()
    for start in range(0, len(mesh.faces), _CHUNK_ROWS):
        triangles = mesh.faces[start : start + _CHUNK_ROWS]
        faces = np.zeros(len(triangles), _FACE)
        faces["count"], faces["vertices"] = 3, triangles
        yield faces.tobytes()


def _header(mesh: MeshSample, has_colors: bool) -> str:
    lines = ["ply", "format binary_little_endian 1.0"]
    lines += [f"comment {problem}" for problem in mesh.problems]
    lines += [f"element vertex {len(mesh.vertices)}"]
    lines += [f"property float {axis}" for axis, _ in _POSITION]
    if has_colors:
        lines += [f"property uchar {name}" for name, _ in _COLOR]
    if len(mesh.faces):
        lines += [f"element face {len(mesh.faces)}", "property list uchar int vertex_indices"]
    return "\n".join([*lines, "end_header", ""])
