"""JSON documents of the embedding routes."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from lossboard.kinds.jobs import JobState


class EmbeddingStep(TypedDict):
    """One logged step. `broken` says why its tensor cannot be read."""

    step: int
    wall: float
    rows: NotRequired[int]
    columns: NotRequired[int]
    broken: NotRequired[str]


class EmbeddingSeries(TypedDict):
    run: str
    tag: str
    steps: list[EmbeddingStep]
    has_metadata: bool
    has_sprite: bool


class EmbeddingList(TypedDict):
    cursor: int
    series: list[EmbeddingSeries]


class SpriteInfo(TypedDict):
    """Layout of the sprite image: size of one thumbnail in pixels, and thumbnails per line."""

    width: int
    height: int
    columns: int


class MetadataColumn(TypedDict):
    """A column. `categories` are its distinct texts by falling frequency, if they are few."""

    name: str
    type: Literal["number", "category", "text"]
    categories: NotRequired[list[str]]


class EmbeddingMetadata(TypedDict):
    """Columns, each with a table, and the sprite. `problems` are sentences about what cannot be shown."""

    rows: int
    columns: list[MetadataColumn]
    sprite: NotRequired[SpriteInfo]
    problems: list[str]


class ProjectionState(TypedDict):
    """State of a projection. `version` grows with each better layout. `message` says why it failed."""

    job: str
    state: JobState
    stage: str
    fraction: float
    version: int
    message: NotRequired[str]


class ProjectedSource(TypedDict):
    """One embedding of a projection. `ready` is false as long as it has no layout: its table is then empty."""

    run: str
    tag: str
    step: int
    rows: int
    ready: bool


class ProjectionHead(TypedDict):
    """A layout: one table per source with the columns x, y and, in three dimensions, z."""

    job: str
    version: int
    final: bool
    sources: list[ProjectedSource]
    explained: list[float]
    notes: list[str]


class EmbeddingNeighbor(TypedDict):
    row: int
    distance: float


class EmbeddingNeighbors(TypedDict):
    row: int
    norm: float
    neighbors: list[EmbeddingNeighbor]


class EmbeddingMoved(TypedDict):
    """Rows that moved most between two steps, in units of the radius of the points, and the median of all rows."""

    rows: list[EmbeddingNeighbor]
    median: float
    notes: list[str]


class SeparationStep(TypedDict):
    step: int
    accuracy: NotRequired[float]
    problem: NotRequired[str]


class EmbeddingSeparation(TypedDict):
    """Accuracy of ten nearest neighbors by step. `baseline` is the share of the most frequent class."""

    column: str
    baseline: float
    steps: list[SeparationStep]


class NoDocument(TypedDict):
    pass
