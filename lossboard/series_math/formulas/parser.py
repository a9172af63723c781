"""Parser of formulas.

formula = sum
sum     = product {("+" | "-") product}
product = sign {("*" | "/") sign}
sign    = "-" sign | power
power   = atom ["**" sign]
atom    = number | name | `any name` | function "(" sum {"," sum} ")" | "(" sum ")"
"""

from __future__ import annotations

import math

from lossboard.series_math.formulas.functions import FUNCTIONS, NEGATE, OPERATORS, Function
from lossboard.series_math.formulas.lexer import tokenize
from lossboard.series_math.formulas.tree import Call, Node, Number, Tag
from lossboard.syntax.errors import QueryError
from lossboard.syntax.lexer import Token
from lossboard.syntax.place import Place
from lossboard.syntax.suggest import nearest

MAX_CHARS = 1024
MAX_DEPTH = 64
MAX_CALLS = 100


def parse(formula: str) -> Node:
    """Returns the tree of a formula. Raises QueryError with the place of what is wrong."""
    if len(formula) > MAX_CHARS:
        message = f"The formula has {len(formula)} characters. At most {MAX_CHARS} are allowed."
        raise QueryError(message, MAX_CHARS, len(formula))
    node = _Parser(formula).formula()
    if not node.is_series:
        raise QueryError("Expected a formula over at least one tag.", 0, len(formula))
    return node


class _Parser:
    def __init__(self, formula: str) -> None:
        self._tokens = tokenize(formula)
        self._at = 0
        self._depth = 0
        self._calls = 0

    def formula(self) -> Node:
        node = self._sum()
        if self._next.kind != "end":
            raise self._unexpected("Expected an operator or the end of the formula")
        return node

    def _sum(self) -> Node:
        return self._chain(("+", "-"))

    def _chain(self, operators: tuple[str, ...]) -> Node:
        is_sum = "+" in operators
        node = self._chain(("*", "/")) if is_sum else self._sign()
        while self._next.kind == "operator" and self._next.text in operators:
            operator = self._take()
            right = self._chain(("*", "/")) if is_sum else self._sign()
            node = self._call(OPERATORS[operator.text], (node, right), _start(node))
        return node

    def _sign(self) -> Node:
        if self._next.kind == "operator" and self._next.text == "-":
            self._enter()
            minus = self._take()
            inner = self._sign()
            self._depth -= 1
            return self._call(NEGATE, (inner,), minus.start)
        return self._power()

    def _power(self) -> Node:
        node = self._atom()
        if self._next.kind == "operator" and self._next.text == "**":
            self._enter()
            self._take()
            exponent = self._sign()
            self._depth -= 1
            node = self._call(OPERATORS["**"], (node, exponent), _start(node))
        return node

    def _atom(self) -> Node:
        token = self._take()
        match token.kind:
            case "number":
                return self._number(token)
            case "name":
                return Tag(token.text, Place(token.start, token.end))
            case "word":
                is_call = self._next.kind == "("
                return self._function(token) if is_call else Tag(token.text, Place(token.start, token.end))
            case "(":
                self._enter()
                inner = self._sum()
                self._depth -= 1
                self._expect(")")
                return inner
        self._at -= token.kind != "end"
        raise self._unexpected("Expected a tag, a number or a function", token)

    def _number(self, token: Token) -> Number:
        value = float(token.text)
        if not math.isfinite(value):
            raise QueryError("This number is too large.", token.start, token.end)
        return Number(value, Place(token.start, token.end))

    def _function(self, name: Token) -> Node:
        function = FUNCTIONS.get(name.text)
        if function is None:
            message = f"Unknown function {name.text}. Known are {', '.join(FUNCTIONS)}."
            raise QueryError(message, name.start, name.end, suggestion=nearest(name.text, FUNCTIONS))
        self._enter()
        self._take()
        args = [self._sum()]
        while self._next.kind == ",":
            self._take()
            args.append(self._sum())
        self._depth -= 1
        end = self._expect(")").end
        if len(args) != function.args:
            message = f"{function.name} takes {_count(function.args)}, got {len(args)}."
            raise QueryError(message, name.start, end)
        return self._call(function, tuple(args), name.start)

    def _call(self, function: Function, args: tuple[Node, ...], start: int) -> Node:
        self._check_types(function, args)
        place = Place(start, self._tokens[self._at - 1].end)
        self._calls += 1
        if self._calls > MAX_CALLS:
            message = f"The formula is too long. At most {MAX_CALLS} operators and functions are allowed."
            raise QueryError(message, place.start, place.end)
        return Call(function, args, place, any(arg.is_series for arg in args))

    def _check_types(self, function: Function, args: tuple[Node, ...]) -> None:
        if function.over_points and not args[0].is_series:
            raise _type_error(f"{function.name} takes a series first, got a number.", args[0])
        if not function.weight:
            return
        weight = args[-1]
        if weight.is_series:
            raise _type_error(f"{function.name} takes a number second, got a series.", weight)
        if not (isinstance(weight, Number) and 0 <= weight.value < 1):
            raise _type_error("Expected a smoothing weight of at least 0 and below 1.", weight)

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        if token.kind != "end":
            self._at += 1
        return token

    def _expect(self, kind: str) -> Token:
        if self._next.kind != kind:
            raise self._unexpected(f"Expected {kind}")
        return self._take()

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            message = f"The formula is nested too deeply. At most {MAX_DEPTH} levels are allowed."
            raise QueryError(message, self._next.start, self._next.end)

    def _unexpected(self, expected: str, token: Token | None = None) -> QueryError:
        token = token or self._next
        got = "the end of the formula" if token.kind == "end" else repr(token.text)
        return QueryError(f"{expected}, got {got}.", token.start, token.end)


def _start(node: Node) -> int:
    return node.place.start


def _count(args: int) -> str:
    return "1 argument" if args == 1 else f"{args} arguments"


def _type_error(message: str, node: Node) -> QueryError:
    return QueryError(message, node.place.start, node.place.end)
