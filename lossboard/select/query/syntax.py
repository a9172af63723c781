"""Syntax tree of a query, before its names are known. Every node has its place in the text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from lossboard.syntax.place import Place


@dataclass(frozen=True, slots=True)
class FieldName:
    """A fact as the query names it: `lr`, or with an aggregate `last(loss)`, or `at(loss, 100)`."""

    name: str
    place: Place
    aggregate: str = ""
    step: int = 0
    name_place: Place | None = None
    """The place of the metric within an aggregate."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value as the query spells it. A quoted one is always a text."""

    text: str
    quoted: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Compare:
    field: FieldName
    operator: str
    value: Value
    place: Place


@dataclass(frozen=True, slots=True)
class OneOf:
    field: FieldName
    values: tuple[Value, ...]
    negated: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Matches:
    """A regular expression is found in the fact."""

    field: FieldName
    pattern: Value
    negated: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Exists:
    field: FieldName


@dataclass(frozen=True, slots=True)
class Words:
    """The run's name, its alias or one of its tags has all these words, in any order and case."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A regular expression is found in the run's name, its alias or one of its tags, in any case."""

    pattern: Value


@dataclass(frozen=True, slots=True)
class Not:
    inner: Node


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Node, ...]


Node: TypeAlias = Compare | OneOf | Matches | Exists | Words | Found | Not | And | Or
