"""JSON documents of the graph routes."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

from lossboard.kinds.json_numbers import JsonNumber


class GraphSeries(TypedDict):
    """Graphs of one tag in one run."""

    run: str
    tag: str
    steps: list[int]
    walls: list[float]


class GraphList(TypedDict):
    cursor: int
    series: list[GraphSeries]


class GraphLine(TypedDict):
    """A parameter of an operation, as a line in its box."""

    name: str
    shape: list[int] | None


class GraphItem(TypedDict):
    """A box: an operation, a scope, or several equal scopes.

    Scopes with a single child are merged with it, so a box may stand for all paths from `outer` to `path`.
    """

    path: str
    outer: str
    label: str
    kind: Literal["op", "input", "output", "scope", "repeat"]
    type: str
    """Class of the module, or the operation."""
    op: NotRequired[str]
    """The operation, if the box is only one."""
    lines: NotRequired[list[GraphLine]]
    start: int
    end: int
    """Its operations are from `start` to `end`."""
    ops: int
    hidden: int
    parameters: int
    flops: float | None
    unknown_flops: int
    """Operations whose cost is not known."""
    device: str
    shape: list[int] | None
    members: NotRequired[list[str]]
    """Paths of equal scopes, the first one included."""
    member_labels: NotRequired[list[str]]


class GraphEdge(TypedDict):
    """A bundle of edges between two boxes, by their places in `items`."""

    source: int
    target: int
    count: int
    shape: list[int] | None
    """The largest shape."""
    shapes: int
    """How many different shapes there are."""
    ops: list[int]
    """Operations that the edges come from, to find their ports. At most eight."""


class GraphPort(TypedDict):
    """What enters or leaves a scope: an operation outside or inside of it."""

    op: int
    label: str
    path: str
    items: list[int]
    shape: list[int] | None


class GraphScope(TypedDict):
    """The content of a scope."""

    path: str
    items: list[GraphItem]
    edges: list[GraphEdge]
    inputs: list[GraphPort]
    outputs: list[GraphPort]
    more_inputs: int
    """Further sources without a port of their own."""


class GraphHead(TypedDict):
    """A graph, with the scopes of the first picture."""

    run: str
    tag: str
    step: int
    title: str
    nodes: int
    ops: int
    hidden: int
    parameters: int
    flops: float
    unknown_flops: int
    opened: list[str]
    """Boxes that are open at first."""
    scopes: list[GraphScope]
    problems: list[str]


class GraphScopes(TypedDict):
    scopes: list[GraphScope]


class GraphPlace(TypedDict):
    """A logged tag that found its place: a parameter or a module. One value per step, null before the first point."""

    tag: str
    path: str
    values: list[JsonNumber | None]


class GraphQuantity(TypedDict):
    quantity: Literal["weight norm", "gradient norm", "logged value"]
    steps: list[int]
    places: list[GraphPlace]
    unplaced: list[str]
    """Histograms without a place."""


class GraphLogged(TypedDict):
    quantities: list[GraphQuantity]


class GraphHit(TypedDict):
    path: str
    label: str
    type: str
    kind: Literal["op", "scope"]


class GraphHits(TypedDict):
    total: int
    hits: list[GraphHit]


class GraphNeighbor(TypedDict):
    path: str
    label: str
    shape: list[int] | None


class GraphParameter(TypedDict):
    path: str
    name: str
    shape: list[int] | None
    count: int


class GraphAttribute(TypedDict):
    """An attribute as text. Null if it is too large to show."""

    name: str
    value: str | None
    size: int


class GraphNode(TypedDict):
    """Details of a box. Attributes are those of an operation."""

    path: str
    name: str
    type: str
    op: NotRequired[str]
    device: str
    shape: list[int] | None
    inputs: list[GraphNeighbor]
    outputs: list[GraphNeighbor]
    parameters: list[GraphParameter]
    parameter_count: int
    more_parameters: int
    flops: float | None
    ops: int
    hidden: int
    attributes: list[GraphAttribute]
