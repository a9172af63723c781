"""TOML of strangers. Python's parser takes minutes for names of thousands of parts, and some errors are not its own."""

from __future__ import annotations

import tomllib
from typing import Any

_MAX_PARTS = 64
_PART = r"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*"""


def parse_toml(text: str) -> dict[str, Any]:
    """Returns the document. Raises ValueError if it is not valid."""
    import re2

    if re2.search(f"(?:{_PART}){{{_MAX_PARTS}}}", text) is not None:
        raise ValueError(f"A name has more than {_MAX_PARTS} parts.")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("It is nested too deeply.") from None
