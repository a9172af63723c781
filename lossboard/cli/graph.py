"""`lossboard graph`: shows the graph of a model without training it."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from lossboard.cli import board
from lossboard.cli.parser import Parser


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Shows the graph of a model without training it. The weights are not read. A checkpoint is built and traced "
        "from its config.json, which needs torch and transformers."
    )
    parser.add_argument("model", metavar="MODEL", help="an ONNX file, or a checkpoint directory with a config.json")
    parser.add_argument("--port", default="default", help="port (default: 6006 or the next free one; 0 = any)")
    parser.add_argument("--open", action="store_true", help="open the board in the browser")


def run(options: argparse.Namespace) -> int | None:
    from lossboard.kinds.graphs.model_file import encoded_graph, write_graph

    payload = encoded_graph(Path(options.model))
    with tempfile.TemporaryDirectory(prefix="lossboard-graph-") as folder:
        write_graph(Path(folder) / Path(options.model).resolve().name, payload)
        parser = Parser(prog="lossboard graph")
        board.add_arguments(parser)
        print("The model is in the Graph tab: add #graphs to the address.")
        return board.run(parser.parse_args([folder, "--port", options.port, *(["--open"] if options.open else [])]))
