"""Argument parser whose errors are one line: what is wrong, and what to do."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NoReturn

from lossboard.version import full_version


class Parser(argparse.ArgumentParser):
    """Prints errors without the usage, which `--help` prints in readable form."""

    def error(self, message: str) -> NoReturn:
        sentence = message if message.endswith(("?", ".")) else f"{message}."
        self.exit(2, f"{self.prog}: {sentence} See {self.prog} --help\n")


class ShowVersion(argparse.Action):
    """Prints the version. In a checkout this runs git, so it is not computed before."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"lossboard {full_version()}")
        parser.exit()


def unknown_arguments_message(args: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """Describes the first of the arguments that the parser does not know, options before others."""
    option = next((arg for arg in args if arg.startswith("-")), "").split("=")[0]
    if not option:
        return f"unexpected argument {args[0]}"
    known = re.findall(r"--[\w-]+", parser.format_help())
    similar = get_close_matches(option, known, n=1)
    return f"unknown option {option}" + (f". Did you mean {similar[0]}?" if similar else "")
