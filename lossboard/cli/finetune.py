"""`lossboard finetune`: fine-tunes BERT on texts with labels, and logs all that the board shows."""

from __future__ import annotations

import argparse

from lossboard.errors import UsageError
from lossboard.train.config import SETTINGS, add_flags, flag, from_flags

DESCRIPTION = """Fine-tune BERT on texts with labels, logging all that the board shows.

  lossboard finetune --model ./bert-base-uncased --data reviews.csv --epochs 2
  lossboard finetune --resume last
  lossboard finetune --config run.toml --sweep learning-rate=1e-5,3e-5,1e-4 seed=0,1,2

--model and --data are needed, all else has a default. Watch it beside: lossboard runs"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = "lossboard finetune --model MODEL --data DATA [SETTING …]"
    parser.description = DESCRIPTION
    parser.add_argument(
        "--resume", metavar="RUN", help="go on with this run, by its id or folder, where it stopped; last = the newest"
    )
    parser.add_argument(
        "--sweep", nargs="+", metavar="SETTING=A,B", help="one run for each combination of these values"
    )
    add_flags(parser)


def run(options: argparse.Namespace) -> int:
    from lossboard.train.runner import finetune, resume
    from lossboard.train.sweep import parse_grid, sweep, table

    config = from_flags(options)
    if options.resume and options.sweep:
        raise UsageError("--resume and --sweep exclude each other: the same --sweep again goes on with it.")
    if options.resume and (given := [flag(name) for name in vars(options) if name in SETTINGS - {"runs_dir"}]):
        raise UsageError(f"--resume goes on with the settings that the run began with; leave out {', '.join(given)}.")
    if options.sweep:
        entries = sweep(config, parse_grid(options.sweep))
        print(table(entries))
        return int(any(entry.get("failed") for entry in entries.values()))
    result = resume(options.resume, config.runs_dir) if options.resume else finetune(config)
    print(f"accuracy {result.metrics['accuracy']:.2%}, best checkpoint: {result.best}")
    return 0
