"""Repeated blocks: neighboring children of a scope with consecutive numbers and equal structure, such as `layer.0` to
`layer.11`. They are found by structure, so a block that differs is not hidden among the others."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from lossboard.kinds.graphs.model import Graph, Op, Scope

_NUMBERED = re.compile(r"(.*?)(\d{1,9})\Z", re.DOTALL)
_MIN_OPS = 4
"""How many single operations in a row are worth folding. Scopes are from two on."""

Group = list[Scope | Op]
"""Equal children. Most groups have one member."""


def group_repeats(graph: Graph, children: Sequence[Scope | Op]) -> list[Group]:
    """Returns the children in order. Equal ones with consecutive numbers are one group, at the place of the first."""
    taken: set[int] = set()
    groups: dict[int, Group] = {}
    for run in _numbered_runs(children):
        for group in _equal_stretches(graph, [children[i] for i in run], run):
            groups[group[0]] = [children[i] for i in group]
            taken.update(group)
    return [groups.get(i, [child]) for i, child in enumerate(children) if i in groups or i not in taken]


def _numbered_runs(children: Sequence[Scope | Op]) -> list[list[int]]:
    """Returns runs of children whose names differ only in a number that grows by one."""
    stems: dict[str, list[tuple[int, int]]] = {}
    for i, child in enumerate(children):
        match = _NUMBERED.match(child.label)
        if match and not (isinstance(child, Scope) and child.is_chunk):
            stems.setdefault(match[1], []).append((int(match[2]), i))
    runs: list[list[int]] = []
    for members in stems.values():
        members.sort()
        run = [members[0][1]]
        for (number, _), (following, i) in pairwise(members):
            if following == number + 1:
                run.append(i)
            else:
                runs.append(run)
                run = [i]
        runs.append(run)
    return [run for run in runs if len(run) > 1]


def _equal_stretches(graph: Graph, members: Sequence[Scope | Op], places: Sequence[int]) -> list[list[int]]:
    """Returns the longest stretches of equal members, by place."""
    digests = [_digest(graph, member) for member in members]
    stretches: list[list[int]] = []
    start = 0
    for i in range(1, len(members) + 1):
        if i < len(members) and digests[i] == digests[start]:
            continue
        if i - start >= (2 if _is_block(members[start]) else _MIN_OPS):
            stretches.append(list(places[start:i]))
        start = i
    return stretches


def _is_block(child: Scope | Op) -> bool:
    return isinstance(child, Scope) and child.size > 1


def _digest(graph: Graph, child: Scope | Op) -> bytes:
    return graph.digest(child.start, child.end) if isinstance(child, Scope) else graph.code(child)
