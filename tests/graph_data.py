"""Graphs for the tests: real BERTs, and nodes from short descriptions."""

import gzip
from pathlib import Path

from lossboard.kinds.graphs.decode import graph_def_nodes
from lossboard.kinds.graphs.encode import GraphNode, encode_graph
from lossboard.kinds.graphs.model import Graph
from lossboard.kinds.graphs.node import Node
from lossboard.kinds.graphs.roles import Detail

DATA = Path(__file__).parent / "data" / "graphs"


def bert(writer: str = "lossboard") -> tuple[Node, ...]:
    return graph_def_nodes(gzip.decompress((DATA / f"bert12-{writer}.pb.gz").read_bytes()))


def graph_of(*nodes: GraphNode, detail: Detail = "compute") -> Graph:
    return Graph(graph_def_nodes(encode_graph(nodes)), detail)


def op(name: str, kind: str, *inputs: str, shape: tuple[int, ...] | None = None) -> GraphNode:
    return GraphNode(name, kind, list(inputs), shape)
