"""The `lossboard` command. Each subcommand is a module that is imported only when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from lossboard.cli.parser import Parser, ShowVersion, unknown_arguments_message
from lossboard.errors import LossboardError


class Command(NamedTuple):
    module: str
    """Has `add_arguments(parser)` and `run(options) -> int | None`."""
    summary: str
    """One line for the help."""


COMMANDS = {
    "board": Command("lossboard.cli.board", "start the web UI (the default: lossboard LOGDIR)"),
    "inspect": Command("lossboard.cli.inspect", "summarize runs, tags and corrupt records"),
    "ls": Command("lossboard.cli.ls", "list runs with hyperparameters and metrics, selected by a query"),
    "top": Command("lossboard.cli.top", "follow runs in the terminal, with sparklines"),
    "doctor": Command("lossboard.cli.doctor", "report what is wrong with runs, and what to try"),
    "sql": Command("lossboard.cli.sql", "run an SQL query over runs, hyperparameters and scalars"),
    "plot": Command("lossboard.cli.plot", "draw scalars as a figure for a paper: SVG, PNG or PDF"),
    "export": Command("lossboard.cli.export", "export a logdir as JSONL, CSV, Arrow or Parquet"),
    "graph": Command("lossboard.cli.graph", "show the graph of an ONNX file or a checkpoint, without its weights"),
    "trash": Command("lossboard.cli.trash", "list, restore or delete the runs in the trash"),
    "finetune": Command("lossboard.cli.finetune", "fine-tune a BERT model on labeled text"),
    "check-data": Command("lossboard.cli.check_data", "check training data for problems before training"),
    "predict": Command("lossboard.cli.predict", "predict the labels of texts with the model of a run"),
    "evaluate": Command("lossboard.cli.evaluate", "compute metrics of the model of a run on labeled texts"),
    "merge": Command("lossboard.cli.merge", "export the model of a run for Hugging Face, with LoRA adapters merged"),
    "plan": Command("lossboard.cli.plan", "predict the memory of fine-tuning and the largest micro-batch that fits"),
}


def main(argv: Sequence[str] | None = None) -> int:
    args = add_default_command(list(sys.argv[1:] if argv is None else argv))
    options, unknown = parser_for(args).parse_known_args(args)
    command = import_module(COMMANDS[options.command].module)
    if unknown:
        parser = Parser(prog=f"lossboard {options.command}")
        command.add_arguments(parser)
        parser.error(unknown_arguments_message(unknown, parser))
    try:
        status: int | None = command.run(options)
        return status or 0
    except LossboardError as error:
        print(f"lossboard: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `| head` has closed the pipe; Python must not fail when it flushes stdout at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def add_default_command(args: list[str]) -> list[str]:
    """Adds `board` if there is no command, because TensorBoard needs none: `lossboard --logdir runs`."""
    if args[:1] == ["serve"]:  # TensorBoard's name of the command
        return ["board", *args[1:]]
    if args and args[0] in (*COMMANDS, "-h", "--help", "--version"):
        return args
    return ["board", *args]


def parser_for(args: Sequence[str]) -> Parser:
    """Returns a parser of all commands, with the arguments of the commands that `args` contain."""
    parser = Parser(prog="lossboard", description="View, query and export training logs; fine-tune BERT.")
    parser.add_argument("--version", action=ShowVersion)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        if name in args:
            import_module(module).add_arguments(command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
