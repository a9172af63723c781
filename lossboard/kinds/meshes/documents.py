"""JSON documents of the mesh routes."""

from __future__ import annotations

from typing import TypedDict

from lossboard.kinds.media import MediaSeries


class MeshSeriesList(TypedDict):
    cursor: int
    series: list[MediaSeries]


class MeshLight(TypedDict):
    """A light of the scene. One without a position comes from everywhere."""

    intensity: float
    position: list[float] | None


class MeshScene(TypedDict):
    """The logged camera, lights and material. Null for what was not logged, `ignored` for what has no meaning here."""

    orthographic: bool
    fov: float | None
    near: float | None
    far: float | None
    lights: list[MeshLight]
    color: str | None
    wireframe: bool
    ignored: list[str]
    problem: str | None


class MeshHead(TypedDict):
    """One sample of a mesh. `shapes` are those of the logged tensors, `problems` say what is not shown of them."""

    cursor: int
    step: int
    wall: float
    sample: int
    samples: int
    shapes: dict[str, list[int]]
    scene: MeshScene
    problems: list[str]
