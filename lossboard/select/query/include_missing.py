"""Rewriting a query so that it also selects runs that lack a fact: `lr < 1` becomes `(lr < 1 or not exists lr)`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lossboard.select.query.names import resolve
from lossboard.select.query.parser import parse
from lossboard.select.query.syntax import And, Compare, FieldName, Matches, Node, Not, OneOf, Or
from lossboard.syntax.place import Place

if TYPE_CHECKING:
    from lossboard.select.facts.fields import Field
    from lossboard.select.facts.table import FactTable


def include_missing(table: FactTable, query: str, lacked: Field) -> str:
    """Returns a query that is also true where only the missing fact keeps `query` from being true."""
    node = parse(query)
    conditions = [] if node is None else list(_conditions(node, negated=False))
    for name, place, negated in reversed(conditions):
        if resolve(name, table) == lacked:
            test = query[place.start : place.end]
            spelled = query[name.place.start : name.place.end]
            # A condition is unknown without its fact. It has to become true, or false within a `not`.
            known = f"({test} and exists {spelled})" if negated else f"({test} or not exists {spelled})"
            query = query[: place.start] + known + query[place.end :]
    return query


def _conditions(node: Node, *, negated: bool) -> Iterator[tuple[FieldName, Place, bool]]:
    """Yields the conditions that are unknown without their fact, in the order of the text."""
    match node:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _conditions(part, negated=negated)
        case Not(inner):
            yield from _conditions(inner, negated=not negated)
        case Compare(field, place=place) | OneOf(field, place=place) | Matches(field, place=place):
            yield field, place, negated
