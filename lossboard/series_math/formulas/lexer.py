"""Tokens of a formula. Unlike in a query, `-`, `/` and `.` after a digit are not parts of a plain name."""

from __future__ import annotations

import re

from lossboard.syntax.errors import QueryError
from lossboard.syntax.lexer import Token, match_quoted, scan, unescape

_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[^\W\d][\w.]*")
_OPERATOR = re.compile(r"\*\*|[-+*/]")


def tokenize(formula: str) -> list[Token]:
    """Returns the tokens of a formula and an `end`. Raises QueryError at a character that cannot start one."""
    return scan(formula, lambda at, _: _token(formula, at))


def _token(formula: str, at: int) -> Token:
    character = formula[at]
    match character:
        case "(" | ")" | ",":
            return Token(character, character, at, at + 1)
        case "`":
            quoted = match_quoted(formula, at)
            return Token("name", unescape(quoted[1]), at, quoted.end())
        case '"' | "'":
            quoted = match_quoted(formula, at)
            name = f"`{quoted[1]}`"
            raise QueryError("Names stand in backticks.", at, quoted.end(), suggestion=name)
        case "^":
            raise QueryError("Unexpected '^'.", at, at + 1, suggestion="**")
    if operator := _OPERATOR.match(formula, at):
        return Token("operator", operator[0], at, operator.end())
    if number := _NUMBER.match(formula, at):
        return Token("number", number[0], at, number.end())
    if word := _NAME.match(formula, at):
        return Token("word", word[0], at, word.end())
    raise QueryError(f"Unexpected {character!r}.", at, at + 1)
