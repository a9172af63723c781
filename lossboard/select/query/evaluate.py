"""Evaluation of a query on the table of facts.

A condition is true, false or unknown for each run, as in SQL: a comparison with a missing value is unknown, `not`
leaves it unknown, and a query selects the runs for which it is true. NaN is a value, but comparing it with a number is
unknown too; `= nan` finds it. A value of a mixed column compares only with values of its own type.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.kinds.cancellation import check_cancelled
from lossboard.select.facts.columns import BOOLEAN, NUMBER, TEXT, AnyColumn, Column, Mask, TextsColumn
from lossboard.select.facts.fields import Field
from lossboard.select.query.literals import Interval, Literal, read_value
from lossboard.select.query.names import resolve
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

if TYPE_CHECKING:
    from lossboard.select.facts.table import FactTable

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SEARCHED = (Field("run", "run"), Field("run", "alias"), Field("run", "tags"))
_MAX_REGEX_PROGRAM = 2000
_TEXTS_BETWEEN_CHECKS = 10_000


@dataclass(frozen=True)
class Truth:
    """For each run whether a condition is true and whether it is false. Neither means unknown."""

    true: Mask
    false: Mask


@dataclass
class Evaluation:
    """Evaluates a tree, and collects the facts that it used."""

    table: FactTable
    used: dict[Field, AnyColumn] = field(default_factory=dict)

    def run(self, node: Node) -> Truth:
        check_cancelled()
        match node:
            case And(parts):
                return _join([self.run(part) for part in parts], np.logical_and, np.logical_or)
            case Or(parts):
                return _join([self.run(part) for part in parts], np.logical_or, np.logical_and)
            case Not(inner):
                return _negate(self.run(inner))
            case Exists(name):
                column = self._column(name)[1]
                return Truth(column.has_value, ~column.has_value)
            case Words(words):
                return self._search(lambda text: all(word in text.lower() for word in words))
            case Found(pattern):
                matches = compile_pattern(Value(f"(?i){pattern.text}", True, pattern.place))
                return self._search(matches)
            case Matches():
                return self._matches(node)
            case Compare(name, symbol, value):
                found, column = self._column(name)
                literal = read_value(value, column.type, str(found))
                if isinstance(literal, bool) and symbol not in ("=", "!="):
                    message = f"{symbol} needs an order, and true and false have none. Use = or !=."
                    raise QueryError(message, value.place.start, value.place.end)
                return compare(column, symbol, literal)
            case OneOf(name, values, negated):
                found, column = self._column(name)
                tests = [compare(column, "=", read_value(value, column.type, str(found))) for value in values]
                truth = _any_equal(column, tests)
                return _negate(truth) if negated else truth

    def _column(self, name: FieldName) -> tuple[Field, AnyColumn]:
        found = resolve(name, self.table)
        column = self.used[found] = self.table.column(found)
        return found, column

    def _matches(self, node: Matches) -> Truth:
        found, column = self._column(node.field)
        if column.type not in ("text", "texts", "mixed"):
            message = f"{found} is not a text, so no regular expression can be found in it."
            raise QueryError(message, node.field.place.start, node.field.place.end)
        truth = _test_texts(column, compile_pattern(node.pattern))
        return _negate(truth) if node.negated else truth

    def _search(self, test: Callable[[str], bool]) -> Truth:
        """Tests the texts by which people know a run."""
        found = np.zeros(len(self.table), bool)
        for each in _SEARCHED:
            found |= _test_texts(self.table.column(each), test).true
        return Truth(found, ~found)


def compile_pattern(pattern: Value) -> Callable[[str], bool]:
    """Returns a test that finds a regular expression. RE2 never backtracks. Where its automaton does not fit into
    memory, its time grows with the size of the program, so that is limited."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(pattern.text.encode("utf-8", "replace"), options)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
        message = f"Not a regular expression that RE2 can run: {reason}."
        raise QueryError(message, pattern.place.start, pattern.place.end) from None
    if compiled.programsize > _MAX_REGEX_PROGRAM:
        message = "This regular expression is too large. Use fewer or smaller repetitions."
        raise QueryError(message, pattern.place.start, pattern.place.end)
    return lambda text: compiled.search(text.encode("utf-8", "replace")) is not None


def compare(column: AnyColumn, symbol: str, literal: Literal) -> Truth:
    if isinstance(column, TextsColumn) and symbol == "!=":
        return _negate(compare(column, "=", literal))
    if isinstance(literal, str):
        return _test_texts(column, lambda text: bool(_OPERATORS[symbol](text, literal)))
    assert isinstance(column, Column)  # the texts of a TextsColumn compare only with texts
    if isinstance(literal, Interval):
        return _known(_compare_interval(column, symbol, literal), column.has_value)
    has_type = column.kinds == (BOOLEAN if isinstance(literal, bool) else NUMBER)
    if isinstance(literal, float) and math.isnan(literal):
        is_nan = np.isnan(column.numbers)
        if symbol not in ("=", "!="):
            return _known(is_nan, np.zeros(len(column), bool))
        return _known(is_nan if symbol == "=" else ~is_nan, has_type)
    comparable = has_type & ~np.isnan(column.numbers)
    return _known(_OPERATORS[symbol](column.numbers, float(literal)), comparable)


def _compare_interval(column: Column, symbol: str, literal: Interval) -> Mask:
    times = column.numbers
    match symbol:
        case "<":
            mask = times < literal.start
        case "<=":
            mask = times < literal.end
        case ">":
            mask = times >= literal.end
        case ">=":
            mask = times >= literal.start
        case _:
            mask = (times >= literal.start) & (times < literal.end)
    result: Mask = ~mask if symbol == "!=" else mask
    return result


def _test_texts(column: AnyColumn, test: Callable[[str], bool]) -> Truth:
    """Tests each different text once."""
    passed = np.zeros(len(column.texts), bool)
    for start in range(0, len(column.texts), _TEXTS_BETWEEN_CHECKS):
        check_cancelled()
        part = column.texts[start : start + _TEXTS_BETWEEN_CHECKS]
        passed[start : start + len(part)] = [test(text) for text in part]
    if isinstance(column, TextsColumn):
        found = column.rows_with(passed)
        return Truth(found, ~found)
    found = np.append(passed, False)[column.codes]
    return _known(found, column.kinds == TEXT)


def _known(mask: Mask, known: Mask) -> Truth:
    return Truth(mask & known, ~mask & known)


def _negate(truth: Truth) -> Truth:
    return Truth(truth.false, truth.true)


def _join(parts: list[Truth], true: np.ufunc, false: np.ufunc) -> Truth:
    return Truth(true.reduce([part.true for part in parts]), false.reduce([part.false for part in parts]))


def _any_equal(column: AnyColumn, tests: Iterable[Truth]) -> Truth:
    """A value is in a list if it equals any item. It is known not to be, if it can be compared with any."""
    tests = list(tests)
    true = np.logical_or.reduce([test.true for test in tests])
    known = np.logical_or.reduce([test.true | test.false for test in tests])
    return Truth(true, known & ~true)
