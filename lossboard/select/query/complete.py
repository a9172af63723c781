"""Completion: what can stand at the caret. Names and functions come first, then values and keywords."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from lossboard.select.facts.columns import AnyColumn, TextsColumn
from lossboard.select.facts.fields import AGGREGATES, RUN_FACTS, quote_name
from lossboard.select.facts.values import FactValue
from lossboard.select.query.names import resolve
from lossboard.select.query.parser import MAX_CHARS, parse_fields
from lossboard.syntax.errors import QueryError
from lossboard.syntax.lexer import Token, tokenize

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

_MAX_SUGGESTIONS = 50
_OPERATORS = {
    "text": ("=", "!=", "~", "in ("),
    "texts": ("=", "!=", "~", "in ("),
    "boolean": ("=", "!="),
    "mixed": ("=", "!=", "<", "<=", ">", ">=", "~", "in ("),
}
_ORDERED = ("<", "<=", ">", ">=", "=", "!=")
_TIMES = ("today", "yesterday", "7d ago")


@dataclass(frozen=True, slots=True)
class Completion:
    """A text that can replace the part of the query from `start` to `end`."""

    text: str
    kind: Literal["name", "function", "metric", "value", "operator", "keyword"]
    detail: str
    start: int
    end: int


def complete(table: FactTable, query: str, caret: int) -> list[Completion]:
    """Returns what can stand at the caret, best first. An empty list if there is nothing to suggest."""
    if len(query) > MAX_CHARS:
        return []
    try:
        tokens = tokenize(query[:caret])[:-1]
    except QueryError:  # within a quote or a regular expression
        return []
    typed = tokens.pop() if tokens and tokens[-1].end == caret and tokens[-1].kind in ("word", "keyword") else None
    start, prefix = (typed.start, typed.text.lower()) if typed else (caret, "")
    found = (each for each in _candidates(table, query, tokens) if each[0].lower() != prefix)
    ranked = sorted(found, key=lambda each: _rank(each[0], prefix))  # stable: the order of the candidates remains
    fitting = [each for each in ranked if _rank(each[0], prefix) < 3]
    return [Completion(text, kind, detail, start, caret) for text, kind, detail in fitting[:_MAX_SUGGESTIONS]]


_Candidate = tuple[str, Literal["name", "function", "metric", "value", "operator", "keyword"], str]


def _rank(text: str, prefix: str) -> int:
    """Whether a text starts with what was typed, or one of its parts does, or it contains it, or none of these."""
    lower = text.lower().strip("`")
    if lower.startswith(prefix):
        return 0
    if any(part.startswith(prefix) for part in lower.replace("/", ".").replace("(", ".").split(".")):
        return 1
    return 2 if prefix in lower else 3


def _candidates(table: FactTable, query: str, tokens: list[Token]) -> Iterator[_Candidate]:
    last = tokens[-1] if tokens else None
    if last is None or (last.kind == "keyword" and last.text in ("and", "or", "not", "exists")):
        yield from _names(table)
        yield from _keywords("not", "exists") if last is None or last.text != "exists" else ()
    elif last.kind == "operator":
        yield from _values(table, query, tokens[:-1]) if last.text not in ("~", "!~") else ()
    elif last.kind in ("(", ","):
        yield from _in_parentheses(table, query, tokens)
    elif _ends_field(tokens) and (column := _column_before(table, query, tokens)) is not None:
        yield from ((text, "operator", "") for text in _OPERATORS.get(column.type, _ORDERED))
        yield from _keywords("and", "or")
    elif last.kind != "keyword":
        yield from _keywords("and", "or")
        yield from _names(table)


def _keywords(*words: str) -> Iterator[_Candidate]:
    yield from ((word, "keyword", "") for word in words)


def _names(table: FactTable) -> Iterator[_Candidate]:
    runs = len(table)
    for name, count in table.hyperparameter_names.most_common():
        spelled = quote_name(f"hp.{name}" if name in RUN_FACTS else name)
        yield spelled, "name", "hyperparameter" + ("" if count == runs else f", {count} runs")
    for name, (_, detail) in RUN_FACTS.items():
        yield f"run.{name}" if name in table.hyperparameter_names else name, "name", detail
    yield from ((f"{name}(", "function", detail) for name, detail in AGGREGATES.items())
    for tag, count in sorted(table.metric_names.items()):
        yield f"last({quote_name(tag)})", "metric", "last value" + ("" if count == runs else f", {count} runs")


def _in_parentheses(table: FactTable, query: str, tokens: list[Token]) -> Iterator[_Candidate]:
    opened = max((i for i, token in enumerate(tokens) if token.kind == "("), default=-1)
    before = tokens[opened - 1] if opened > 0 else None
    if before is not None and before.kind == "word" and before.end == tokens[opened].start:
        if tokens[-1].kind == "(":
            yield from ((quote_name(tag), "metric", "") for tag in sorted(table.metric_names))
    elif before is not None and before.text == "in":
        names = tokens[: opened - 1]
        yield from _values(table, query, names[:-1] if names and names[-1].text == "not" else names)
    else:
        yield from _names(table)


def _values(table: FactTable, query: str, before: list[Token]) -> Iterator[_Candidate]:
    column = _column_before(table, query, before)
    if column is None:
        return
    if column.type == "time":
        yield from ((text, "value", "") for text in _TIMES)
        return
    for value, count in _commonest(column):
        yield _spell(value), "value", f"{count} run{'' if count == 1 else 's'}"


def _commonest(column: AnyColumn) -> Iterable[tuple[FactValue, int]]:
    if isinstance(column, TextsColumn):
        counts = Counter(column.texts[code] for code in column.codes.tolist())
        return counts.most_common(_MAX_SUGGESTIONS)
    codes, values = column.labels
    found = [(value, count) for value, count in zip(values, _counts(codes.tolist(), len(values)), strict=True)]
    present = [(value, count) for value, count in found if value is not None]
    return sorted(present, key=lambda pair: -pair[1])[:_MAX_SUGGESTIONS]


def _counts(codes: list[int], size: int) -> list[int]:
    counts = Counter(codes)
    return [counts[code] for code in range(size)]


def _spell(value: FactValue) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    plain = quote_name(value) == value and value.lower() not in ("true", "false", "and", "or", "not", "in", "exists")
    return value if plain else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _ends_field(tokens: list[Token]) -> bool:
    return tokens[-1].kind in ("word", "name", ")") and (len(tokens) < 2 or tokens[-2].kind != "operator")


def _column_before(table: FactTable, query: str, tokens: list[Token]) -> AnyColumn | None:
    """Returns the column of the field that these tokens end with, if there is one."""
    if not tokens:
        return None
    first = len(tokens) - 1
    if tokens[-1].kind == ")":
        first = max((i for i, token in enumerate(tokens) if token.kind == "("), default=1) - 1
    if first < 0 or tokens[first].kind not in ("word", "name"):
        return None
    try:
        ((field, _),) = parse_fields(query[tokens[first].start : tokens[-1].end])
        return table.column(resolve(field, table))
    except (QueryError, ValueError):
        return None
