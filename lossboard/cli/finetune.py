"""`lossboard finetune`: fine-tunes a BERT model on labeled text."""

from __future__ import annotations

import argparse

from lossboard.errors import UsageError
from lossboard.train.config import SETTINGS, add_flags, flag, from_flags

# Settings that may be given with --resume: where the run is, and how much longer it trains.
RESUMABLE = {"runs_dir", "epochs", "max_steps"}

DESCRIPTION = """Fine-tune a BERT model on labeled text.

  lossboard finetune --model ./bert-base-uncased --data reviews.csv --epochs 2
  lossboard finetune --resume last
  lossboard finetune --resume 2026-02-10_012 --epochs 5
  lossboard finetune --config run.toml --sweep learning-rate=1e-5,3e-5,1e-4 seed=0,1,2

--model and --data are required. Watch the run in another terminal: lossboard runs"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.usage = "lossboard finetune --model MODEL --data DATA [SETTING …]"
    parser.description = DESCRIPTION
    parser.add_argument(
        "--resume", metavar="RUN", help='resume a run, by id or directory; "last" = the newest unfinished run'
    )
    parser.add_argument(
        "--sweep", nargs="+", metavar="SETTING=A,B", help="train one run for each combination of values"
    )
    add_flags(parser)


def run(options: argparse.Namespace) -> int:
    from lossboard.train.distributed.worker import end_process
    from lossboard.train.distributed.world import is_main_process, is_under_torchrun
    from lossboard.train.runner import finetune, resume
    from lossboard.train.sweep import parse_grid, sweep, table

    config = from_flags(options)
    if options.resume and options.sweep:
        raise UsageError("Use either --resume or --sweep. To continue a sweep, run the same --sweep again.")
    if options.resume and (given := [flag(name) for name in vars(options) if name in SETTINGS - RESUMABLE]):
        raise UsageError(f"--resume reuses the settings of the original run. Remove {', '.join(given)}.")
    if options.sweep:
        entries = sweep(config, parse_grid(options.sweep))
        print(table(entries))
        return int(any(entry.get("failed") for entry in entries.values()))
    longer = {name: getattr(config, name) for name in vars(options) if name in ("epochs", "max_steps")}
    result = resume(options.resume, config.runs_dir, **longer) if options.resume else finetune(config)
    if is_main_process():
        print(result)
    if is_under_torchrun():
        end_process(0)
    return 0
