"""Model files as graphs: reads an ONNX file or a checkpoint, and writes its graph as a run."""

from __future__ import annotations

from pathlib import Path

from lossboard.errors import UsageError
from lossboard.events.file_writer import FileWriter
from lossboard.events.summary import GRAPH_DEF
from lossboard.kinds.graphs.checkpoint import trace_checkpoint
from lossboard.kinds.graphs.encode import encode_graph
from lossboard.kinds.graphs.onnx_file import read_onnx_file


def encoded_graph(path: Path) -> bytes:
    """Returns the GraphDef of an ONNX file or of a checkpoint directory."""
    if path.is_dir() and (path / "config.json").is_file():
        return encode_graph(trace_checkpoint(path))
    if path.is_file():
        return encode_graph(read_onnx_file(path))
    what = "has no config.json" if path.is_dir() else "does not exist"
    raise UsageError(f"{path} {what}. Name an ONNX file, or a checkpoint directory with a config.json.")


def write_graph(run: Path, graph: bytes) -> None:
    writer = FileWriter(str(run)).event_writer
    writer.write(GRAPH_DEF, graph, None, None)
    writer.close()
