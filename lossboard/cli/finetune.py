"""`lossboard finetune`: fine-tunes BERT on texts with labels, and logs all that the board shows."""

from __future__ import annotations

import argparse

from lossboard.errors import UsageError
from lossboard.train.config import add_flags, from_flags


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--resume", metavar="RUN", help="go on with this run (its id or folder) where it stopped")
    parser.add_argument(
        "--sweep", nargs="+", metavar="SETTING=A,B", help="one run for each combination of these values"
    )
    add_flags(parser)


def run(options: argparse.Namespace) -> int:
    from lossboard.train.start import finetune, resume
    from lossboard.train.sweep import parse_grid, sweep, table

    config = from_flags(options)
    if options.resume and options.sweep:
        raise UsageError("--resume and --sweep exclude each other: the same --sweep again goes on with it.")
    if options.sweep:
        entries = sweep(config, parse_grid(options.sweep))
        print(table(entries))
        return int(any(entry.get("failed") for entry in entries.values()))
    result = resume(options.resume, config.runs_dir) if options.resume else finetune(config)
    print(f"accuracy {result.metrics['accuracy']:.2%}, best checkpoint: {result.best}")
    return 0
