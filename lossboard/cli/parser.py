"""argparse with shorter words: a mistake is one line that names it and what to do."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Without the whole usage before each error; `--help` has it, in readable form."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help\n")


def unknown_option_message(words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """What to say of words that the parser does not take."""
    flags = re.findall(r"--[\w-]+", parser.format_help())
    word = next((word for word in words if word.startswith("-")), words[0]).split("=")[0]
    (meant,) = get_close_matches(word, flags, n=1) or [""]
    return f"there is no {word}" + (f" (perhaps {meant})" if meant else "")
