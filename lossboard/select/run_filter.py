"""Filter of the sidebar: words that all must occur, or a regular expression, without regard to case.

The browser filters by itself (`ui/src/app/filter.ts`), and its regular expressions are JavaScript's. This module gives
the same results for them. `tests/golden/run_filter.json` checks both sides.

Supported differences between JavaScript and Python: `\\d`, `\\w` and `\\b` know ASCII only, `$` is the very end,
`(?<name>…)` is a named group, `[]` and `[^]` are allowed, and unknown escapes stand for the letter itself. Possessive
quantifiers, atomic groups, `(?P…)` and `(?i)` are errors, as in a browser. Not supported: `\\k<name>` and `\\cX`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lossboard.errors import UsageError

_MAX_CHARS = 1000
_SPECIAL = re.compile(r"[\\^$*+?()\[\]{}|]")
_TOKEN = re.compile(
    r"\\. | \[\^?\] | \(\?<(?![=!]) | \(\?P | \(\?> | \(\?[a-zA-Z]+\) | [*+?}]\+ | -- | .", re.VERBOSE | re.DOTALL
)
_ONLY_PYTHON = re.compile(r"\(\?P|\(\?>|\(\?[a-zA-Z]+\)|[*+?}]\+")
_KNOWN_ESCAPES = frozenset("dDwWsSbBnrtfvxu")
_ASCII_ONLY = frozenset("dDwWbB")


@dataclass(frozen=True)
class RunFilter:
    """A parsed filter."""

    words: tuple[str, ...]
    expression: re.Pattern[str] | None = None

    @classmethod
    def parse(cls, text: str) -> RunFilter:
        if len(text) > _MAX_CHARS:
            raise UsageError(f"Expected a filter of at most {_MAX_CHARS} characters, got {len(text)}.")
        text = text.strip()
        if not _SPECIAL.search(text):
            return cls(tuple(text.lower().split()))
        try:
            return cls((), re.compile(_to_python(text), re.IGNORECASE))
        except (re.error, OverflowError, RecursionError) as error:
            raise UsageError(f"The filter {text!r} is not a valid regular expression: {error}.") from None

    def matches(self, text: str) -> bool:
        if self.expression is not None:
            return self.expression.search(text) is not None
        lower = text.lower()
        return all(word in lower for word in self.words)


def _to_python(pattern: str) -> str:
    """Translates a regular expression of JavaScript."""
    translated: list[str] = []
    in_class = False
    for token in _TOKEN.findall(pattern):
        if in_class:
            in_class = token != "]"
            translated += _class_tokens(token)
            continue
        if _ONLY_PYTHON.fullmatch(token):
            raise re.error(f"{token} is not supported")
        in_class = token == "["
        translated.append(_outside_class(token))
    return "".join(translated)


def _outside_class(token: str) -> str:
    match token:
        case "$":
            return r"\Z"
        case "[]":
            return "(?!)"
        case "[^]":
            return r"[\s\S]"
        case "(?<":
            return "(?P<"
    if token[0] == "\\" and token[1:] in _ASCII_ONLY:
        return f"(?a:{token})"
    return _escape(token)


def _class_tokens(token: str) -> list[str]:
    if token == r"\d":
        return ["0-9"]
    if token == r"\w":
        return ["A-Za-z0-9_"]
    # Tokens of several characters have no meaning inside a class. Python warns about sets in sets unless escaped.
    characters = [token] if token[0] == "\\" else list(token)
    return [rf"\{one}" if one in "[&|~" else _escape(one) for one in characters]


def _escape(token: str) -> str:
    """Returns the letter itself for an escape that JavaScript does not know."""
    is_letter = token[0] == "\\" and token[1:].isascii() and token[1:].isalpha()
    return token[1:] if is_letter and token[1:] not in _KNOWN_ESCAPES else token
