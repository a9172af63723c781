"""`lossboard evaluate`: metrics of a trained model on labeled texts, printed and logged for the board."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from lossboard.cli.formatting import format_table
from lossboard.cli.predict import add_model_arguments, load_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_model_arguments(parser)
    parser.add_argument(
        "data", metavar="FILE", type=Path, help="labeled texts: a CSV, TSV, JSON, JSONL or Parquet file"
    )
    parser.add_argument("--label-column", help="label column (default: that of the run, or detected)")
    parser.add_argument(
        "--log-dir",
        metavar="DIR",
        type=Path,
        help="directory for the event files (default: evaluations/<name of the file> in the run)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(options: argparse.Namespace) -> int:
    from lossboard.train.inference.evaluation import evaluate_and_log
    from lossboard.train.inference.trained_model import read_rows
    from lossboard.train.tasks.metrics import format_value

    table = read_rows(options.data, header=options.header)
    model = load_model(options, label_column=options.label_column)
    result = evaluate_and_log(model, table, options.log_dir, batch_size=options.batch_size)
    if options.json:
        print(json.dumps({"examples": result.examples, **result.metrics}, indent=2))
        return 0
    print(f"{model.checkpoint} on {result.examples} examples of {options.data}")
    rows = [[name, format_value(name.partition("/")[0], value)] for name, value in result.metrics.items()]
    print("\n".join(format_table(["metric", "value"], rows, right_aligned={"value"})))
    if result.log_dir:
        print(f"Logged to {result.log_dir}: metrics, charts and worst examples.")
    return 0
