"""Decoding of graphs to nodes.

    GraphDef     node 1 · library 2 · versions 4                Event.graph_def: torch, ONNX by torch, TensorFlow 1
    NodeDef      name 1 · op 2 · input 3 · device 4 · attr 5 (map to AttrValue)
    RunMetadata  function_graphs 4 {pre_optimization_graph 2}   TensorFlow 2's functions; several: below `graph_<i>/`
    Keras        a model's JSON                                 see keras.py

Inputs are kept as written: `^x` is a control input, `x:1` the second output of x. Node names may repeat (ONNX).
Function libraries, partition graphs and optimized graphs are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.events.summary import Value
from lossboard.events.tensors import Tensor
from lossboard.events.wire import Buffer, Message
from lossboard.kinds.graphs.keras import keras_nodes
from lossboard.kinds.graphs.node import Node
from lossboard.kinds.series import Point, Series, plugin_of, series_of

if TYPE_CHECKING:
    from lossboard.store.run import Run

RUN_GRAPH = "__run_graph__"
PLUGINS = frozenset({"graphs", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model"})


@dataclass(frozen=True, slots=True)
class GraphStep(Point):
    """One graph."""

    nodes: tuple[Node, ...]


def graph_def_nodes(data: Buffer, scope: str = "") -> tuple[Node, ...]:
    """Returns the nodes of a serialized GraphDef, with names and inputs below `scope`."""
    return tuple(
        Node(
            scope + node.text(1),
            node.text(2),
            tuple(_scoped(name, scope) for name in node.texts(3)),
            node.text(4),
            tuple(node.views(5)),
        )
        for node in Message(data).messages(1)
    )


def run_metadata_nodes(data: Buffer) -> tuple[Node, ...]:
    """Returns the nodes of all traced functions in a RunMetadata. A single one has no scope, as in TensorBoard."""
    graphs = [b"".join(function.views(2)) for function in Message(data).messages(4)]
    if len(graphs) == 1:
        return graph_def_nodes(graphs[0])
    return tuple(node for i, graph in enumerate(graphs, 1) for node in graph_def_nodes(graph, f"graph_{i}/"))


def graphs(run: Run, tag: str = RUN_GRAPH, *, attempts: bool = False) -> Series[GraphStep]:
    plugin = plugin_of(run, PLUGINS, tag)

    def parse(data: bytes, step: int, wall_time: float, hidden: bool) -> GraphStep:
        return GraphStep(step, wall_time, hidden, nodes(plugin, data))

    return series_of(run, plugin, tag, parse, attempts=attempts)


def nodes(plugin: str, data: bytes) -> tuple[Node, ...]:
    """Returns the nodes in a payload: a GraphDef for the plugin `graphs`, else a Summary.Value with one string."""
    if plugin == "graphs":
        return graph_def_nodes(data)
    content = Tensor.of(Value.parse(data)).string()
    return keras_nodes(content) if plugin == "graph_keras_model" else run_metadata_nodes(content)


def _scoped(name: str, scope: str) -> str:
    return f"^{scope}{name[1:]}" if name.startswith("^") else scope + name
