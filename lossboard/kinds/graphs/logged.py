"""Logged values of a graph's parts: norms of weights and gradients by step, from the tags that find their place.

A tag finds its place by the path of a parameter or a module: as dotted path (torch), with slashes (Keras, TensorFlow),
with a quantity in front or behind (`gradients/…`, `….grad`), and with or without what wrappers put in front (`module.`,
`bert.`). Values of a histogram are its L2 norm, from the centers of the buckets.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError
from lossboard.kinds import kinds
from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.graphs.model import Graph

if TYPE_CHECKING:
    from lossboard.store.run import Run

Quantity: TypeAlias = Literal["weight norm", "gradient norm", "logged value"]
MAX_STEPS = 60
"""Steps of the colors. More are sampled, with the first and the last."""
MAX_TAGS = 2000

_GRADIENT = re.compile(r"grad", re.IGNORECASE)
_QUANTITY_PARTS = frozenset(
    {
        "initial_weights", "weights", "weight_norm", "gradients", "gradient", "grads", "grad", "grad_norm",
        "gradient_norm", "norm", "norms", "histogram", "image", "parameters", "params", "train", "hist", "values",
    }
)  # fmt: skip
_WRAPPERS = ("module.", "_orig_mod.", "base_model.model.", "model.")
_KERAS_NAMES = {"kernel": "weight", "gamma": "weight", "beta": "bias", "embeddings": "weight"}


@dataclass
class Place:
    """Values of one tag over the common steps. None before its first point."""

    tag: str
    path: str
    values: list[float | None]


@dataclass
class Logged:
    quantity: Quantity
    steps: list[int] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)


class Places:
    """Finds the parameter or module that a tag means."""

    def __init__(self, graph: Graph) -> None:
        self._paths: dict[str, str | None] = {}
        parameters = {one.path for op in graph.ops for one in op.parameters}
        modules = {scope.path for scope in graph.scopes.values() if scope.parent is not None and not scope.is_chunk}
        for path in [*parameters, *modules]:
            parts = path.replace("/", ".").split(".")
            for start in range(len(parts)):
                key = ".".join(parts[start:])
                if start and key in self._paths and self._paths[key] != path:
                    self._paths[key] = None  # several parts of the model end like this
                else:
                    self._paths[key] = path

    def find(self, tag: str) -> str | None:
        name = _normalized(tag)
        candidates = [name]
        for wrapper in _WRAPPERS:
            candidates += [one.removeprefix(wrapper) for one in candidates if one.startswith(wrapper)]
        candidates += [_with_torch_name(one) for one in candidates]
        return next((path for one in candidates if "." in one and (path := self._paths.get(one))), None)


def _normalized(tag: str) -> str:
    parts = [part for part in re.split(r"[/.:]", tag) if part]
    while parts and parts[0].lower() in _QUANTITY_PARTS:
        parts.pop(0)
    while parts and (parts[-1].lower() in _QUANTITY_PARTS or (parts[-1].isdigit() and ":" in tag)):
        parts.pop()
    return re.sub(r"_0\Z", "", ".".join(parts))


def _with_torch_name(name: str) -> str:
    scope, _, last = name.rpartition(".")
    return f"{scope}.{_KERAS_NAMES.get(last, last)}"


def logged_values(graph: Graph, run: Run) -> list[Logged]:
    """Returns the quantities that at least two tags of a run place in the graph."""
    places = Places(graph)
    found: dict[Quantity, dict[str, tuple[str, str]]] = {}
    unplaced: dict[Quantity, list[str]] = {}
    for info in run.index():
        if info.plugin not in ("histograms", "scalars") or not info.count:
            continue
        quantity = _quantity(info.plugin, info.tag)
        path = places.find(info.tag)
        if path is not None and len(found.get(quantity, {})) < MAX_TAGS:
            found.setdefault(quantity, {})[info.tag] = (path, info.plugin)
        elif info.plugin == "histograms":
            unplaced.setdefault(quantity, []).append(info.tag)
    return [
        _values(run, quantity, tags, unplaced.get(quantity, [])) for quantity, tags in found.items() if len(tags) > 1
    ]


def _quantity(plugin: str, tag: str) -> Quantity:
    if _GRADIENT.search(tag):
        return "gradient norm"
    return "weight norm" if plugin == "histograms" else "logged value"


def _values(run: Run, quantity: Quantity, tags: dict[str, tuple[str, str]], unplaced: list[str]) -> Logged:
    series = {tag: kinds()[plugin].series(run, tag) for tag, (_, plugin) in tags.items()}
    steps = _sampled(np.unique(np.concatenate([np.asarray(one.steps) for one in series.values()])))
    logged = Logged(quantity, steps.tolist(), unplaced=unplaced)
    for tag, (path, plugin) in tags.items():
        check_cancelled()
        at = np.searchsorted(np.asarray(series[tag].steps), steps, side="right") - 1
        known: dict[int, float] = {}
        for index in at.tolist():
            if index >= 0 and index not in known:
                known[index] = _norm(series[tag], index) if plugin == "histograms" else _scalar(series[tag], index)
        logged.places.append(Place(tag, path, [known.get(index) for index in at.tolist()]))
    return logged


def _sampled(steps: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    if len(steps) <= MAX_STEPS:
        return steps
    chosen: npt.NDArray[np.int64] = steps[np.unique(np.linspace(0, len(steps) - 1, MAX_STEPS).round().astype(int))]
    return chosen


def _norm(series: Any, index: int) -> float:
    try:
        buckets = series[index].buckets
    except DecodeError:
        return math.nan
    centers = (buckets[:, 0] + buckets[:, 1]) / 2
    return float(np.sqrt((buckets[:, 2] * centers**2).sum()))


def _scalar(column: Any, index: int) -> float:
    return float(column.values[index])
