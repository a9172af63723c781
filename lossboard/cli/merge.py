"""`lossboard merge`: exports the model of a run as a plain Hugging Face directory, with LoRA adapters merged."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="run, by id or directory, or a checkpoint directory")
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, required=True, help="directory to create")
    parser.add_argument(
        "--runs-dir", metavar="PATH", type=Path, default=Path("runs"), help="directory of the runs (default: runs)"
    )


def run(options: argparse.Namespace) -> int:
    from lossboard.train.runs.trained_model import export_model, find_checkpoint

    checkpoint = find_checkpoint(options.run, options.runs_dir)
    export_model(checkpoint, options.output)
    print(
        f"Wrote the model of {checkpoint} to {options.output}. Load it with from_pretrained({str(options.output)!r})."
    )
    return 0
