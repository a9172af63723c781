"""Protobuf's text format, as far as `projector_config.pbtxt` uses it.

    message  = { name [":"] ( scalar | "[" scalar, … "]" | "{" message "}" | "<" message ">" ) [","|";"] }
    scalar   = number | word | quoted strings, one or several in a row

Comments start with `#`. Extensions and Any are not supported. Unknown names are kept and ignored.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from lossboard.errors import DecodeError

Text: TypeAlias = dict[str, list["str | Text"]]

MAX_DEPTH = 32

_TOKEN = re.compile(
    r"""\s+ | \#[^\n]*
    | (?P<string> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
    | (?P<word> [\w.+-]+)
    | (?P<mark> [{}<>\[\]:,;])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}


def parse(text: str) -> Text:
    """Returns the values of each field, in order: strings for scalars, dictionaries for messages."""
    return _message(_tokens(text), end=None, depth=0)


def _tokens(text: str) -> list[str]:
    """Returns the tokens in reverse order, so that the next one is popped from the end."""
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise DecodeError(f"Text format: {text[at : at + 20]!r} is not a valid token")
        if match.lastgroup:
            tokens.append(match[0])
        at = match.end()
    return tokens[::-1]


def _message(tokens: list[str], *, end: str | None, depth: int) -> Text:
    fields: Text = {}
    while tokens and tokens[-1] != end:
        name = tokens.pop()
        if not (name[0].isalpha() or name[0] == "_"):
            raise DecodeError(f"Text format: expected a field name, got {name!r}")
        fields.setdefault(name, []).extend(_values(tokens, depth))
        if tokens and tokens[-1] in ",;":
            tokens.pop()
    if end is not None:
        _take(tokens, end)
    return fields


def _values(tokens: list[str], depth: int) -> list[str | Text]:
    if tokens and tokens[-1] == ":":
        tokens.pop()
    opening = tokens[-1] if tokens else ""
    if opening in ("{", "<"):
        if depth == MAX_DEPTH:
            raise DecodeError(f"Text format: messages nested deeper than {MAX_DEPTH}")
        tokens.pop()
        return [_message(tokens, end="}" if opening == "{" else ">", depth=depth + 1)]
    if opening != "[":
        return [_scalar(tokens)]
    tokens.pop()
    values: list[str | Text] = []
    while tokens and tokens[-1] != "]":
        values.append(_scalar(tokens))
        if tokens and tokens[-1] == ",":
            tokens.pop()
    _take(tokens, "]")
    return values


def _scalar(tokens: list[str]) -> str:
    if not tokens or tokens[-1] in "{}<>[]:,;":
        raise DecodeError("Text format: a value is missing")
    if tokens[-1][0] not in "\"'":
        return tokens.pop()
    raw = b""
    while tokens and tokens[-1][0] in "\"'":
        raw += _unquoted(tokens.pop())
    return raw.decode("utf-8", "replace")


def _unquoted(quoted: str) -> bytes:
    return _ESCAPE.sub(_escaped, quoted[1:-1].encode())


def _escaped(match: re.Match[bytes]) -> bytes:
    code = match[1]
    if code[:1].isdigit():
        return bytes([int(code, 8) & 0xFF])
    if len(code) > 1:
        return bytes([int(code[1:], 16)])
    return _LETTERS.get(code, code)


def _take(tokens: list[str], wanted: str) -> None:
    if not tokens or tokens.pop() != wanted:
        raise DecodeError(f"Text format: {wanted!r} is missing")
