"""`lossboard predict`: predictions of a trained model for the texts of a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lossboard.cli.prediction_files import SUFFIXES, write_predictions
from lossboard.cli.progress import progress_bar
from lossboard.errors import UsageError

if TYPE_CHECKING:
    from lossboard.train.data.table import Table
    from lossboard.train.inference.trained_model import TrainedModel


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument("data", metavar="FILE", type=Path, help="texts: a CSV, TSV, JSON, JSONL or Parquet file")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help=f"output file, written atomically: {', '.join(SUFFIXES)} (default: print JSONL)",
    )


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that `predict` and `evaluate` share."""
    parser.add_argument("run", metavar="RUN", help="run, by id or directory, or a checkpoint directory")
    parser.add_argument("--text-column", help="text column (default: that of the run, or detected)")
    parser.add_argument("--pair-column", help="second text column, for text pairs")
    parser.add_argument(
        "--max-length", type=int, help="maximum number of tokens per example (default: that of the run)"
    )
    parser.add_argument("--batch-size", type=int, default=32, help="examples per forward pass (default: 32)")
    parser.add_argument("--engine", choices=("torch", "tensorflow"), help="default: the one of the run")
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether a CSV or TSV file starts with column names (default: detected)",
    )
    parser.add_argument(
        "--runs-dir", metavar="PATH", type=Path, default=Path("runs"), help="directory of the runs (default: runs)"
    )


def load_model(options: argparse.Namespace, **settings: Any) -> TrainedModel:
    """Loads the model with the settings that the user gave instead of those of its run."""
    from lossboard.train.inference.trained_model import load

    if options.batch_size < 1:
        raise UsageError(f"--batch-size is {options.batch_size}. It must be 1 or more.")
    names = ("text_column", "pair_column", "max_length")
    given = settings | {name: getattr(options, name) for name in names}
    model = load(options.run, runs_dir=options.runs_dir, engine=options.engine)
    return model.with_settings(**{name: value for name, value in given.items() if value is not None})


def run(options: argparse.Namespace) -> int:
    from lossboard.train.inference.trained_model import read_rows

    if options.output and options.output.suffix not in SUFFIXES:
        raise UsageError(f"{options.output}: unknown format. End the name of the file with {', '.join(SUFFIXES)}.")
    table = read_rows(options.data, header=options.header)
    if table.header:
        print(f"{options.data}: {len(table)} examples ({table.header})", file=sys.stderr)
    model = load_model(options)
    rows = _rows(table, model, options.batch_size)
    write_predictions(progress_bar(rows, "Predicting", total=len(table)), table, options.output)
    return 0


def _rows(table: Table, model: TrainedModel, batch_size: int) -> Iterator[dict[str, Any]]:
    """Yields the columns of each row, and those of its prediction."""
    columns = zip(*map(iter, table.columns.values()), strict=True)
    for values, prediction in zip(columns, model.predict(table, batch_size=batch_size), strict=True):
        row = dict(zip(table.columns, values, strict=True))
        yield row | {f"predicted_{name}": value for name, value in prediction.items()}
