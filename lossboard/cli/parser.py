"""argparse with shorter words: a mistake is one line that names it and what to do."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NoReturn

from lossboard.version import full_version


class Parser(argparse.ArgumentParser):
    """Without the whole usage before each error; `--help` has it, in readable form."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help\n")


class ShowVersion(argparse.Action):
    """Prints the version. In a checkout this runs git, so it is found only when asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"lossboard {full_version()}")
        parser.exit()


def unknown_option_message(words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """What to say of words that the parser does not take."""
    flags = re.findall(r"--[\w-]+", parser.format_help())
    word = next((word for word in words if word.startswith("-")), words[0]).split("=")[0]
    (meant,) = get_close_matches(word, flags, n=1) or [""]
    return f"there is no {word}" + (f" (perhaps {meant})" if meant else "")
