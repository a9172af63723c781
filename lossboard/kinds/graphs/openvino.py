"""OpenVINO models: the XML file of an IR. Its layers become nodes; its edges become their inputs.

Supported are layers with their names, types and output shapes, and edges. Weights are ignored.
"""

from __future__ import annotations

import os
from xml.etree import ElementTree

from lossboard.kinds.graphs.encode import GraphNode


def read_openvino(path: str | os.PathLike[str]) -> list[GraphNode]:
    root = ElementTree.parse(path).getroot()
    nodes = {layer.get("id", ""): _node(layer) for layer in root.iterfind("layers/layer")}
    for edge in root.iterfind("edges/edge"):
        source, target = nodes[edge.get("from-layer", "")], nodes[edge.get("to-layer", "")]
        target.inputs.append(source.name)
    return list(nodes.values())


def _node(layer: ElementTree.Element) -> GraphNode:
    port = layer.find("output/port")
    shape = None if port is None else [int(dim.text or 0) for dim in port.iterfind("dim")]
    return GraphNode(layer.get("name", ""), layer.get("type", "op"), shape=shape)
