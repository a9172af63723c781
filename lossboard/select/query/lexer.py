"""Tokens of a query."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from lossboard.select.query.errors import QueryError

TokenKind: TypeAlias = Literal["word", "name", "string", "pattern", "operator", "keyword", "(", ")", ",", "end"]

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
    tokens: list[Token] = []
    at = 0
    while at < len(query):
        if space := _SPACE.match(query, at):
            at = space.end()
            continue
        is_pattern = bool(tokens) and tokens[-1].kind == "operator" and tokens[-1].text in ("~", "!~")
        token = _pattern(query, at) if is_pattern else _token(query, at)
        tokens.append(token)
        at = token.end
    return [*tokens, Token("end", "", len(query), len(query))]


def _token(query: str, at: int) -> Token:
    character = query[at]
    match character:
        case "(" | ")" | ",":
            return Token(character, character, at, at + 1)
        case '"' | "'" | "`":
            quoted = _match_quoted(query, at)
            text = _ESCAPE.sub(r"\1", quoted[1])
            return Token("name" if character == "`" else "string", text, at, quoted.end())
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
        quoted = _match_quoted(query, at)
        return Token("pattern", quoted[1].replace(f"\\{query[at]}", query[at]), at, quoted.end())
    word = _token(query, at)
    return Token("pattern", word.text, at, word.end) if word.kind in ("word", "keyword") else word


def _match_quoted(query: str, at: int) -> re.Match[str]:
    quote = query[at]
    if quoted := _QUOTED[quote].match(query, at):
        return quoted
    raise QueryError("This quote is not closed.", at, len(query), suggestion=f"{query[at:]}{quote}")
