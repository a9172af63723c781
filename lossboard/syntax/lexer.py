"""Tokens of a query. Formulas share its tokens and quotes, see `series_math/formulas/lexer.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lossboard.syntax.errors import QueryError

TokenKind: TypeAlias = Literal[
    "word", "name", "number", "string", "pattern", "operator", "keyword", "(", ")", ",", "end"
]

KEYWORDS = frozenset({"and", "or", "not", "in", "exists"})
_SPACE = re.compile(r"\s+")
_OPERATOR = re.compile(r"!=|!~|<=|>=|==|=|<|>|~")
_WORD = re.compile(r"[^\s()<>=!~,\"'`]+")
_QUOTED = {quote: re.compile(rf"{quote}((?:[^{quote}\\]|\\.)*){quote}", re.DOTALL) for quote in "\"'`"}
_PATTERN = re.compile(r"/((?:[^/\\]|\\.)*)/(i?)(?![^\s(),])", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Token:
    """`text` is what the token means: a string without its quotes and escapes, a keyword in lower case."""

    kind: TokenKind
    text: str
    start: int
    end: int


def tokenize(query: str) -> list[Token]:
    """Returns the tokens of a query and an `end`. Raises QueryError at a character that cannot start one."""
    return scan(query, lambda at, before: (_pattern if _precedes_pattern(before) else _token)(query, at))


def scan(text: str, token_at: Callable[[int, Token | None], Token]) -> list[Token]:
    """Returns the tokens of a text and an `end`. `token_at` returns the one at a position, after another one."""
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        if space := _SPACE.match(text, at):
            at = space.end()
            continue
        tokens.append(token_at(at, tokens[-1] if tokens else None))
        at = tokens[-1].end
    return [*tokens, Token("end", "", len(text), len(text))]


def _precedes_pattern(token: Token | None) -> bool:
    return token is not None and token.kind == "operator" and token.text in ("~", "!~")


def _token(query: str, at: int) -> Token:
    character = query[at]
    match character:
        case "(" | ")" | ",":
            return Token(character, character, at, at + 1)
        case '"' | "'" | "`":
            quoted = match_quoted(query, at)
            return Token("name" if character == "`" else "string", unescape(quoted[1]), at, quoted.end())
    if operator := _OPERATOR.match(query, at):
        return Token("operator", "=" if operator[0] == "==" else operator[0], at, operator.end())
    if word := _WORD.match(query, at):
        lower = word[0].lower()
        if lower in KEYWORDS:
            return Token("keyword", lower, at, word.end())
        return Token("word", word[0], at, word.end())
    raise QueryError(f"Unexpected {character!r}.", at, at + 1, suggestion="!=" if character == "!" else "")


def _pattern(query: str, at: int) -> Token:
    """A regular expression keeps its backslashes, however it is quoted."""
    if pattern := _PATTERN.match(query, at):
        flags = "(?i)" if pattern[2] else ""
        return Token("pattern", flags + pattern[1].replace("\\/", "/"), at, pattern.end())
    if query[at] == "/":
        raise QueryError("This regular expression has no closing slash.", at, len(query), suggestion=f"{query[at:]}/")
    if query[at] in "\"'`":
        quoted = match_quoted(query, at)
        return Token("pattern", quoted[1].replace(f"\\{query[at]}", query[at]), at, quoted.end())
    word = _token(query, at)
    return Token("pattern", word.text, at, word.end) if word.kind in ("word", "keyword") else word


def unescape(quoted: str) -> str:
    return _ESCAPE.sub(r"\1", quoted)


def match_quoted(query: str, at: int) -> re.Match[str]:
    quote = query[at]
    if quoted := _QUOTED[quote].match(query, at):
        return quoted
    raise QueryError("This quote is not closed.", at, len(query), suggestion=f"{query[at:]}{quote}")
