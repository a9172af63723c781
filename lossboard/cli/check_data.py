"""`lossboard check-data`: checks training data for problems before training. Exits with 1 if there are errors."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from rich.console import Console
from rich.table import Table

from lossboard.train.config import TaskName

if TYPE_CHECKING:
    from lossboard.findings import Finding
    from lossboard.train.preparation.examples import TextData

COLORS = {"error": "bold red", "warning": "yellow", "note": "dim"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", type=Path, help="CSV, TSV, JSONL or Parquet file, or a directory of splits")
    parser.add_argument(
        "--val-data", type=Path, help="validation examples (default: hold out --val-fraction of the data)"
    )
    parser.add_argument("--val-fraction", type=float, default=0.1, help="fraction of the data held out (default: 0.1)")
    parser.add_argument("--model", type=Path, help="checkpoint directory; also check tokens, lengths and vocabulary")
    parser.add_argument(
        "--max-length", type=int, default=128, help="maximum number of tokens per example (default: 128)"
    )
    parser.add_argument("--task", choices=get_args(TaskName), help="what to predict (default: detected from the data)")
    parser.add_argument("--text-column", help="text column (default: detected from column names and contents)")
    parser.add_argument("--pair-column", help="second text column, for text pairs")
    parser.add_argument("--label-column", help="label column (default: detected from column names and contents)")
    parser.add_argument("--classes", help="all classes in id order, separated by commas")
    parser.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        help="whether a CSV or TSV file starts with column names (default: detected)",
    )
    parser.add_argument(
        "--split-seed", type=int, default=0, help="seed that selects the held-out examples (default: 0)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def run(options: argparse.Namespace) -> int:
    from lossboard.train.preparation.checks import run_checks
    from lossboard.train.preparation.checks.context import build_context
    from lossboard.train.preparation.examples import load_data

    data = load_data(
        options.data,
        options.val_data,
        task=options.task,
        text=options.text_column,
        pair=options.pair_column,
        label=options.label_column,
        classes=options.classes.split(",") if options.classes else None,
        fraction=options.val_fraction,
        seed=options.split_seed,
        header=options.header,
    )
    findings = run_checks(build_context(data, options.model, max_length=options.max_length))
    if options.json:
        print(_as_json(data, findings))
    else:
        _print(Console(), data, findings)
    return int(any(finding.severity == "error" for finding in findings))


def _as_json(data: TextData, findings: Sequence[Finding]) -> str:
    report = {
        "notes": data.notes,
        "classes": data.classes,
        "columns": dataclasses.asdict(data.columns),
        "examples": {"train": len(data.train), "validation": len(data.validation)},
        "findings": [finding.to_json() for finding in findings],
    }
    return json.dumps(report, indent=2, ensure_ascii=False)


def _print(console: Console, data: TextData, findings: Sequence[Finding]) -> None:
    for note in data.notes:
        console.print(note, highlight=False, markup=False)
    if not findings:
        console.print("No findings.", style="green")
        return
    table = Table("", "check", "finding", "what to do", box=None, pad_edge=False, padding=(0, 2, 1, 0))
    for finding in findings:
        found = "\n".join([finding.message, *finding.location.rows])
        table.add_row(
            f"[{COLORS[finding.severity]}]{finding.severity}[/]", finding.code, _plain(found), _plain(finding.advice)
        )
    console.print(table)


def _plain(text: str) -> str:
    """Escapes rich markup in data."""
    return text.replace("[", r"\[")
