"""Decoding of meshes: up to three tensors of one name and step, each with its own tag.

    MeshPluginData  version 1 · name 2 · content_type 3 (VERTEX 1, FACE 2, COLOR 3) · json_config 5 · shape 6 ·
                    components 7

The tag of a part is the name of the mesh with a suffix: `_VERTEX` … by torch, `_1` … by tensorboardX. torch stores all
parts as float32, TensorFlow stores faces and colors in the type that it was given. Here they are float32, int32 and
uint8.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.events.summary import Metadata, Value
from lossboard.events.tensors import Array, Tensor
from lossboard.events.wire import Message
from lossboard.kinds.series import P, Point, Series, references_of
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import References, Run

VERTICES, FACES, COLORS = 1, 2, 3
PARTS: dict[int, tuple[str, type[np.generic]]] = {
    VERTICES: ("vertices", np.float32),
    FACES: ("faces", np.int32),
    COLORS: ("colors", np.uint8),
}

_PART_SUFFIX = re.compile(r"_(VERTEX|FACE|COLOR|[123])$")

Moment: TypeAlias = tuple[int, int]
"""A step, and how often the tag was logged at this step before. Parts of the same moment are one mesh."""


@dataclass(frozen=True, slots=True)
class MeshStep(Point):
    """The parts of a mesh at one step, [batch, n, 3] each. `config` is the JSON text for three.js."""

    name: str
    config: str
    vertices: npt.NDArray[np.float32] | None
    faces: npt.NDArray[np.int32] | None
    colors: npt.NDArray[np.uint8] | None


@dataclass(frozen=True, slots=True)
class StoredMesh(Point):
    """The parts of a mesh at one step, each read and decoded on request."""

    config: str
    parts: Mapping[int, Callable[[], bytes]]

    def read(self, part: int) -> Array | None:
        """Returns a part, or None if it was not logged. Raises DecodeError."""
        if part not in self.parts:
            return None
        return Tensor.of(Value.parse(self.parts[part]())).cast(PARTS[part][1])

    def decode(self, name: str) -> MeshStep:
        arrays = {array: self.read(part) for part, (array, _) in PARTS.items()}
        return MeshStep(self.step, self.wall_time, self.hidden, name, self.config, **arrays)


def mesh_name(tag: str) -> str:
    """Returns the name of the mesh that a stored tag is a part of."""
    return _PART_SUFFIX.sub("", tag)


def meshes(run: Run, name: str, *, attempts: bool = False) -> Series[MeshStep]:
    """Returns the meshes of one name, over the steps."""
    found = _parts_by_name(run).get(name)
    if found is None:
        raise LookupError(f"Run {run.name!r} has no mesh {name!r}.")
    return _series(run, found, lambda point: point.decode(name), attempts=attempts)


def stored_meshes(run: Run, *, max_bytes: int = NO_LIMIT) -> Iterator[tuple[str, Series[StoredMesh]]]:
    """Yields each mesh of a run with its name. Nothing is decoded, so that one part may fail without the others.

    The series of a name without a valid part is empty.
    """
    for name, tags in _parts_by_name(run).items():
        yield name, _series(run, tags, lambda point: point, max_bytes=max_bytes)


def _series(
    run: Run,
    tags: Mapping[int, str],
    build: Callable[[StoredMesh], P],
    *,
    attempts: bool = False,
    max_bytes: int = NO_LIMIT,
) -> Series[P]:
    sources = {part: references_of(run, "mesh", tag, attempts=attempts) for part, tag in sorted(tags.items())}
    indexes: dict[Moment, dict[int, int]] = {}
    when: dict[Moment, tuple[float, bool]] = {}
    for part, (source, hidden) in sources.items():
        for index, moment in enumerate(_moments(source)):
            indexes.setdefault(moment, {})[part] = index
            wall_time, still_hidden = when.get(moment, (float(source.wall_times[index]), True))
            when[moment] = wall_time, still_hidden and bool(hidden[index])
    moments = list(indexes) if attempts else sorted(indexes)
    config = _plugin_data(run, next(iter(tags.values()))).text(5) if tags else ""

    def load(index: int, step: int, wall_time: float, hidden: bool) -> P:
        parts = {part: partial(sources[part][0].read, at, max_bytes) for part, at in indexes[moments[index]].items()}
        return build(StoredMesh(step, wall_time, hidden, config, parts))

    return Series(
        np.array([step for step, _ in moments], np.int64),
        np.array([when[moment][0] for moment in moments], np.float64),
        np.array([when[moment][1] for moment in moments], bool),
        load,
    )


def _moments(source: References) -> list[Moment]:
    seen: Counter[int] = Counter()
    moments = []
    for step in source.steps.tolist():
        moments.append((step, seen[step]))
        seen[step] += 1
    return moments


def _parts_by_name(run: Run) -> dict[str, dict[int, str]]:
    names: dict[str, dict[int, str]] = {}
    for series in run.index():
        if series.plugin == "mesh":
            parts = names.setdefault(mesh_name(series.tag), {})
            if (part := _part(run, series.tag)) in PARTS:
                parts[part] = series.tag
    return names


def _part(run: Run, tag: str) -> int:
    """Returns which part of its mesh a tag holds, or 0 if its metadata is not valid."""
    try:
        return _plugin_data(run, tag).uint64(3)
    except DecodeError:
        return 0


def _plugin_data(run: Run, tag: str) -> Message:
    return Message(Metadata.parse(run.metadata(tag)).content)
