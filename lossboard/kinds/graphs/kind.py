from __future__ import annotations

from typing import Any

from lossboard.kinds.graphs.decode import PLUGINS, GraphStep, graphs
from lossboard.kinds.registry import EventKind


def _fields(point: GraphStep) -> dict[str, Any]:
    return {"nodes": [{"name": node.name, "op": node.op, "inputs": node.inputs} for node in point.nodes]}


KIND = EventKind(name="graphs", plugins=PLUGINS, series=graphs, fields=_fields, api="lossboard.kinds.graphs.api")
