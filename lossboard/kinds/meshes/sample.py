"""One sample of a mesh as it is shown. What cannot be shown is left out and said in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.events.tensors import Array
from lossboard.kinds.meshes.decode import COLORS, FACES, PARTS, VERTICES, StoredMesh


@dataclass(slots=True)
class MeshSample:
    """`vertices` and `colors` are [n, 3], `faces` is [m, 3] with indexes of vertices. `shapes` are those logged."""

    samples: int
    vertices: npt.NDArray[np.float32]
    shapes: dict[str, tuple[int, ...]]
    faces: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 3), np.int32))
    colors: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros((0, 3), np.uint8))
    problems: list[str] = field(default_factory=list)


def read_sample(mesh: StoredMesh, index: int) -> MeshSample:
    """Returns a sample of a batch. Raises DecodeError if its vertices cannot be shown."""
    vertices = mesh.read(VERTICES)
    if vertices is None:
        raise DecodeError("This step has no vertices")
    _check_shape("vertices", vertices)
    if not 0 <= index < len(vertices):
        raise LookupError(f"No sample {index}. This step has {len(vertices)} samples.")
    if vertices.shape[1] == 0:
        raise DecodeError("This mesh has 0 vertices")
    found = MeshSample(len(vertices), vertices[index], {"vertices": vertices.shape})
    for part in (COLORS, FACES):
        try:
            _add_part(found, part, mesh.read(part), index)
        except DecodeError as error:
            found.problems.append(f"The {PARTS[part][0]} are not shown: {error}.")
    lost = int((~np.isfinite(found.vertices)).any(1).sum())
    if lost:
        found.problems.append(f"{_count(lost, 'vertex', 'vertices')} with NaN or infinity cannot be drawn.")
    return found


def _add_part(found: MeshSample, part: int, array: Array | None, index: int) -> None:
    if array is None:
        return
    name = PARTS[part][0]
    found.shapes[name] = array.shape
    _check_shape(name, array)
    if len(array) not in (1, found.samples):
        raise DecodeError(f"Their batch has {len(array)} samples, that of the vertices {found.samples}")
    chosen = array[index if len(array) > 1 else 0]
    if part == COLORS:
        if len(chosen) != len(found.vertices):
            raise DecodeError(f"There are {len(chosen)} for {len(found.vertices)} vertices")
        found.colors = chosen
        return
    exists = ((chosen >= 0) & (chosen < len(found.vertices))).all(1)
    found.faces = chosen[exists]
    if lost := int((~exists).sum()):
        found.problems.append(f"{_count(lost, 'face')} with a vertex that does not exist cannot be drawn.")


def _check_shape(name: str, array: Array) -> None:
    if array.ndim != 3 or array.shape[2] != 3:
        raise DecodeError(f"Expected {name} of shape [batch, n, 3], got {_text(array.shape)}")


def _text(shape: Sequence[int]) -> str:
    return f"[{', '.join(map(str, shape))}]"


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
