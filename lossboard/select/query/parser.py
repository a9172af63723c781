"""Parser of the query language.

    query  = [or]
    or     = and {"or" and}
    and    = not {["and"] not}                    terms side by side must all hold
    not    = "not" not | "(" or ")" | term
    term   = field ("=" | "!=" | "<" | "<=" | ">" | ">=") value
           | field ["not"] "in" "(" value {"," value} ")"
           | field ("~" | "!~") pattern
           | "exists" field
           | word                                 in the run's name, alias or tags
    field  = name | `any name` | aggregate "(" name ["," step] ")"
    value  = number | number unit | date | duration "ago" | "text" | word | "true" | "false"

A text without operators and keywords is a plain filter, as the sidebar has had it from the start: words, or a regular
expression if it has characters of one.
"""

from __future__ import annotations

import re

from lossboard.select.facts.fields import AGGREGATES
from lossboard.select.query.syntax import (
    And,
    Compare,
    Exists,
    FieldName,
    Found,
    Matches,
    Node,
    Not,
    OneOf,
    Or,
    Value,
    Words,
)
from lossboard.syntax.errors import QueryError
from lossboard.syntax.lexer import KEYWORDS, Token, tokenize
from lossboard.syntax.place import Place
from lossboard.syntax.suggest import nearest

MAX_CHARS = 2048
MAX_DEPTH = 64

_QUERY_CHARACTERS = re.compile(r"[=<>~\"'`]")
_REGEX_CHARACTERS = re.compile(r"[\\^$*+?()\[\]{}|]")


def parse(query: str) -> Node | None:
    """Returns the syntax tree of a query, or None if it is empty and selects every run."""
    if len(query) > MAX_CHARS:
        message = f"The query has {len(query)} characters. At most {MAX_CHARS} are allowed."
        raise QueryError(message, MAX_CHARS, len(query))
    text = query.strip()
    if not text:
        return None
    if is_plain_filter(text):
        start = query.index(text)
        if _REGEX_CHARACTERS.search(text):
            return Found(Value(text, True, Place(start, start + len(text))))
        return Words(tuple(text.lower().split()))
    return _Parser(query).query()


def is_plain_filter(text: str) -> bool:
    """Whether a text is not written in the query language, but filters names."""
    return not _QUERY_CHARACTERS.search(text) and KEYWORDS.isdisjoint(text.lower().split())


def parse_fields(text: str) -> list[tuple[FieldName, bool]]:
    """Returns the fields of a list such as `lr, last(loss) desc`, each with whether it is descending."""
    if len(text) > MAX_CHARS:
        raise QueryError(f"At most {MAX_CHARS} characters are allowed.", MAX_CHARS, len(text))
    return _Parser(text).fields()


def parse_groups(text: str) -> list[tuple[FieldName | Node, Place]]:
    """Returns the fields and conditions of a list such as `model, lr < 1e-3`, each with its place."""
    if len(text) > MAX_CHARS:
        raise QueryError(f"At most {MAX_CHARS} characters are allowed.", MAX_CHARS, len(text))
    return _Parser(text).groups()


class _Parser:
    def __init__(self, query: str) -> None:
        self._tokens = tokenize(query)
        self._at = 0
        self._depth = 0

    def query(self) -> Node:
        node = self._or()
        if self._next.kind != "end":
            raise self._unexpected("Expected and, or, or the end of the query")
        return node

    def fields(self) -> list[tuple[FieldName, bool]]:
        fields = []
        while True:
            field = self._field()
            order = self._next.text.lower() if self._next.kind == "word" else ""
            if order in ("asc", "desc"):
                self._take()
            fields.append((field, order == "desc"))
            if self._next.kind == "end":
                return fields
            self._expect(",")

    def groups(self) -> list[tuple[FieldName | Node, Place]]:
        groups: list[tuple[FieldName | Node, Place]] = []
        while True:
            start = self._at
            group: FieldName | Node = self._or() if self._is_condition() else self._field()
            groups.append((group, Place(self._tokens[start].start, self._tokens[self._at - 1].end)))
            if self._next.kind == "end":
                return groups
            self._expect(",")

    def _is_condition(self) -> bool:
        """Whether the next part of a list of groups is a condition. Looks ahead without taking tokens."""
        if self._next.kind not in ("word", "name"):
            return True
        start = self._at
        self._field()
        is_field = self._next.kind not in ("operator", "keyword")
        self._at = start
        return not is_field

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def _is_keyword(self, word: str) -> bool:
        return self._next.kind == "keyword" and self._next.text == word

    def _expect(self, kind: str) -> Token:
        if self._next.kind != kind:
            raise self._unexpected(f"Expected {kind!r}")
        return self._take()

    def _unexpected(self, expected: str) -> QueryError:
        token = self._next
        got = "the query ends here" if token.kind == "end" else f"got {token.text!r}"
        return QueryError(f"{expected}, but {got}.", token.start, token.end)

    def _or(self) -> Node:
        parts = [self._and()]
        while self._is_keyword("or"):
            self._take()
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Node:
        parts = [self._not()]
        while True:
            if self._is_keyword("and"):
                self._take()
            elif self._next.kind in ("end", ")", ",", "operator") or self._is_keyword("or") or self._is_keyword("in"):
                break
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _not(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            message = f"The query is nested more than {MAX_DEPTH} levels deep."
            raise QueryError(message, self._next.start, self._next.end)
        try:
            if self._is_keyword("not"):
                self._take()
                return Not(self._not())
            if self._next.kind == "(":
                self._take()
                node = self._or()
                self._expect(")")
                return node
            return self._term()
        finally:
            self._depth -= 1

    def _term(self) -> Node:
        if self._is_keyword("exists"):
            self._take()
            return Exists(self._field())
        if self._next.kind == "string":
            return Words((self._take().text.lower(),))
        first = self._next
        field = self._field()
        if self._next.kind == "operator":
            return self._comparison(field)
        negated = self._is_keyword("not") and self._tokens[self._at + 1].text == "in"
        if negated:
            self._take()
        if self._is_keyword("in"):
            self._take()
            values = self._values()
            return OneOf(field, values, negated, self._place_from(field))
        if first.kind == "word" and not field.aggregate:
            return Words((field.name.lower(),))
        raise self._unexpected(f"Expected a comparison after {field.name}, such as < 0.1")

    def _comparison(self, field: FieldName) -> Node:
        operator = self._take().text
        if operator in ("~", "!~"):
            token = self._expect_pattern()
            pattern = Value(token.text, True, Place(token.start, token.end))
            return Matches(field, pattern, operator == "!~", self._place_from(field))
        value = self._value()
        return Compare(field, operator, value, self._place_from(field))

    def _place_from(self, field: FieldName) -> Place:
        """Returns the place from a field to the last token that was taken."""
        return Place(field.place.start, self._tokens[self._at - 1].end)

    def _expect_pattern(self) -> Token:
        if self._next.kind != "pattern":
            raise self._unexpected("Expected a regular expression such as /bert.*/")
        return self._take()

    def _values(self) -> tuple[Value, ...]:
        self._expect("(")
        values = [self._value()]
        while self._next.kind == ",":
            self._take()
            values.append(self._value())
        self._expect(")")
        return tuple(values)

    def _value(self) -> Value:
        token = self._next
        if token.kind not in ("word", "string"):
            raise self._unexpected("Expected a value")
        self._take()
        if token.kind == "word" and self._next.kind == "word" and self._next.text.lower() == "ago":
            end = self._take().end
            return Value(f"{token.text} ago", False, Place(token.start, end))
        return Value(token.text, token.kind == "string", Place(token.start, token.end))

    def _field(self) -> FieldName:
        token = self._next
        if token.kind not in ("word", "name"):
            raise self._unexpected("Expected a name")
        self._take()
        if token.kind == "word" and self._next.kind == "(" and self._next.start == token.end:
            return self._aggregate(token)
        return FieldName(token.text, Place(token.start, token.end))

    def _aggregate(self, token: Token) -> FieldName:
        aggregate = token.text.lower()
        if aggregate not in AGGREGATES:
            message = f"Unknown function {token.text}. Use one of {', '.join(AGGREGATES)}."
            raise QueryError(message, token.start, token.end, suggestion=nearest(aggregate, AGGREGATES))
        self._take()
        metric = self._next
        if metric.kind not in ("word", "name", "string"):
            raise self._unexpected("Expected the tag of a metric")
        self._take()
        step = self._step() if aggregate == "at" else 0
        end = self._expect(")").end
        place = Place(metric.start, metric.end)
        return FieldName(metric.text, Place(token.start, end), aggregate, step, place)

    def _step(self) -> int:
        self._expect(",")
        token = self._next
        if token.kind != "word" or not re.fullmatch(r"-?\d{1,18}", token.text):
            raise self._unexpected("Expected a step, such as at(loss, 1000)")
        return int(self._take().text)
