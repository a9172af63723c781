"""The `lossboard` command: a table of commands, each in a file of its own that is imported only when it is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from lossboard.cli.parser import Parser, ShowVersion, unknown_option_message
from lossboard.errors import LossboardError

# name → (module with `add_arguments(parser)` and `run(options) -> int | None`, one line for the help)
COMMANDS: dict[str, tuple[str, str]] = {
    "board": ("lossboard.cli.board", "show logs in the browser; the word itself may be left out: lossboard LOGDIR"),
    "inspect": ("lossboard.cli.inspect", "list the runs, tags, counts and damage of a logdir"),
    "export": ("lossboard.cli.export", "write out what a logdir holds, as jsonl, csv, arrow or parquet"),
    "finetune": ("lossboard.cli.finetune", "fine-tune BERT on texts with labels, logging all that the board shows"),
    "check-data": ("lossboard.cli.check_data", "find what is wrong with training data before it costs a run"),
    "plan": ("lossboard.cli.plan", "predict the memory of fine-tuning and the largest micro-batch that fits"),
}


def main(argv: Sequence[str] | None = None) -> int:
    words = add_default_command(list(sys.argv[1:] if argv is None else argv))
    options, rest = parser_for(words).parse_known_args(words)
    if rest:
        command = Parser(prog=f"lossboard {options.command}")
        import_module(COMMANDS[options.command][0]).add_arguments(command)
        command.error(unknown_option_message(rest, command))
    try:
        status: int | None = import_module(COMMANDS[options.command][0]).run(options)
        return status or 0
    except LossboardError as error:
        print(f"lossboard: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `| head` has seen enough; keep Python from complaining when it flushes stdout at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def add_default_command(words: list[str]) -> list[str]:
    """TensorBoard's way of calling has no command: `lossboard --logdir runs` is the board."""
    if words and words[0] in (*COMMANDS, "-h", "--help", "--version"):
        return words
    return ["board", *words]


def parser_for(words: Sequence[str]) -> Parser:
    """The parser of the whole command line, with the arguments of the command that `words` call."""
    parser = Parser(prog="lossboard", description="A training board.")
    parser.add_argument("--version", action=ShowVersion)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        if name in words:
            import_module(module).add_arguments(command)
    return parser


if __name__ == "__main__":
    sys.exit(main())
