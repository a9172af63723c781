"""Model of a graph: its drawn operations in a tree of scopes.

Operations are numbered so that those below a scope are a range. A question about a scope is then arithmetic on slices
of arrays: which edges are inside, how many parameters it has, whether it equals another scope.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.graphs.flops import estimate_flops
from lossboard.kinds.graphs.fold import Folded, Folding, Shape, fold
from lossboard.kinds.graphs.node import Node
from lossboard.kinds.graphs.paths import Part, PathReader
from lossboard.kinds.graphs.roles import Detail, Role, short_name

Ints = npt.NDArray[np.int64]

MAX_NODES = 100_000
"""Larger graphs are cut: the rest would take longer to fold than a request may."""
MAX_CHILDREN = 500
CHUNK = 200
"""Children of a scope that is divided because it has more than MAX_CHILDREN."""


_NUMBER_BY_TORCH = re.compile(r"\.\d+\Z")
_BUFFERS = frozenset(
    {"position_ids", "token_type_ids", "running_mean", "running_var", "num_batches_tracked", "inv_freq"}
)


@dataclass(frozen=True, slots=True)
class Parameter:
    path: str
    name: str
    shape: Shape | None

    @property
    def count(self) -> int:
        """Returns its numbers, or 0 for a buffer, which is not trained."""
        if self.shape is None or self.name in _BUFFERS or any(size < 0 for size in self.shape):
            return 0
        return math.prod(self.shape)


@dataclass(eq=False, slots=True)
class Op:
    """A drawn operation."""

    node: Node
    op: str
    label: str
    path: str
    role: Role
    shape: Shape | None
    scope: Scope
    parameters: list[Parameter]
    flops: float | None
    """None if they cannot be estimated."""
    index: int = 0


@dataclass(eq=False, slots=True)
class Scope:
    """A module or another part of a name that operations share. It holds the operations from `start` to `end`."""

    path: str
    label: str
    type: str
    parent: Scope | None
    children: list[Scope | Op] = field(default_factory=list)
    start: int = 0
    end: int = 0
    hidden: int = 0
    """Hidden nodes in it and below it."""
    is_chunk: bool = False

    @property
    def size(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges between operations, by target. `slot` is the place among the inputs of the target."""

    source: Ints
    target: Ints
    slot: Ints
    shape: Ints
    """Index into the shapes of the graph. 0 is unknown."""


class Graph:
    """A graph, folded to a level of detail."""

    def __init__(self, nodes: Sequence[Node], detail: Detail, *, chunks: bool = True) -> None:
        self.total = len(nodes)
        nodes = nodes[:MAX_NODES]
        self.paths = PathReader(nodes)
        self.folding: Folding = fold(nodes, detail)
        self.root = Scope("", self.paths.title or "graph", "", None)
        self.scopes: dict[str, Scope] = {"": self.root}
        self.shapes: list[Shape | None] = [None]
        self._shape_ids: dict[Shape, int] = {}
        self._taken: set[str] = set()
        self._by_parts: dict[tuple[Part, ...], Scope] = {}
        self._flops: dict[tuple[str, tuple[Shape | None, ...], Shape | None], float | None] = {}
        by_node = self._add_ops(nodes)
        if chunks:
            self._divide()
        self.ops = self._number()
        self.by_path = {op.path: op for op in self.ops}
        self.edges = self._make_edges(by_node)
        self._count_hidden(nodes)

    # ---- the tree ------------------------------------------------------------------------------------------
    def _add_ops(self, nodes: Sequence[Node]) -> dict[int, Op]:
        by_node: dict[int, Op] = {}
        parameters: dict[int, Parameter] = {}
        for folded in self.folding.kept:
            parts, leaf = self.paths.scopes(nodes[folded.node].name)
            scope = self._scope_of(parts)
            by_node[folded.node] = self._op(nodes, folded, scope, leaf, parameters)
        # An operation may have the name of a scope, as TensorFlow's variables do. Its place is in that scope.
        for op in by_node.values():
            same = self.scopes.get(op.path)
            if same is not None:
                op.scope.children.remove(op)
                same.children.insert(0, op)
                op.scope, op.path = same, self._unique(f"{op.path}/({op.label})")
        return by_node

    def _scope_of(self, parts: tuple[Part, ...]) -> Scope:
        known = self._by_parts.get(parts)
        if known is None:
            known = self.root
            for part in parts:
                known = self._scope(known, part.label, part.type)
            self._by_parts[parts] = known
        return known

    def _scope(self, parent: Scope, label: str, type: str) -> Scope:
        path = f"{parent.path}/{label}" if parent.path else label
        scope = self.scopes.get(path)
        if scope is None:
            scope = self.scopes[path] = Scope(path, label, type, parent)
            parent.children.append(scope)
        elif type and not scope.type:
            scope.type = type
        return scope

    def _op(self, nodes: Sequence[Node], folded: Folded, scope: Scope, leaf: str, known: dict[int, Parameter]) -> Op:
        node = nodes[folded.node]
        op = short_name(node.op)
        for at in folded.parameters:
            if at not in known:
                known[at] = self._parameter(nodes[at], at)
        parameters = [known[at] for at in folded.parameters]
        label = op if self.paths.is_torch else leaf
        if folded.role in ("input", "output"):
            label = _NUMBER_BY_TORCH.sub("", leaf) if self.paths.is_torch else leaf
        path = self._unique(f"{scope.path}/{leaf}" if scope.path else leaf)
        flops = self._estimate(op, tuple(folded.operands), folded.shape)
        made = Op(node, op, label, path, folded.role, folded.shape, scope, parameters, flops)
        scope.children.append(made)
        return made

    def _estimate(self, op: str, operands: tuple[Shape | None, ...], shape: Shape | None) -> float | None:
        key = (op, operands, shape)
        if key not in self._flops:
            self._flops[key] = estimate_flops(op, operands, shape)
        return self._flops[key]

    def _parameter(self, node: Node, at: int) -> Parameter:
        parts, leaf = self.paths.scopes(node.name)
        labels = [part.label for part in parts]
        if not self.paths.is_torch:
            labels.append(leaf)
        path = "/".join(labels) or leaf
        return Parameter(path, path.rsplit("/", 1)[-1], next(iter(self.folding.shapes[at]), None))

    def _unique(self, path: str) -> str:
        number, unique = 2, path
        while unique in self._taken:
            unique, number = f"{path}~{number}", number + 1
        self._taken.add(unique)
        return unique

    def _divide(self) -> None:
        """Divides scopes with very many children into chunks, in the order of the graph."""
        waiting = [self.root]
        while waiting:
            scope = waiting.pop()
            waiting += [child for child in scope.children if isinstance(child, Scope)]
            while len(scope.children) > MAX_CHILDREN:
                size = max(CHUNK, math.ceil(len(scope.children) / MAX_CHILDREN))
                parts = [scope.children[at : at + size] for at in range(0, len(scope.children), size)]
                scope.children = [self._chunk(scope, i * size, part) for i, part in enumerate(parts)]

    def _chunk(self, parent: Scope, first: int, children: list[Scope | Op]) -> Scope:
        label = f"nodes {first + 1:,}–{first + len(children):,}"
        chunk = Scope(self._unique(f"{parent.path}/{label}".strip("/")), label, "", parent, children, is_chunk=True)
        self.scopes[chunk.path] = chunk
        for child in children:
            if isinstance(child, Op):
                child.scope = chunk
            else:
                child.parent = chunk
        return chunk

    def _number(self) -> list[Op]:
        """Numbers the operations from the root, without recursion: graphs may be very deep."""
        ops: list[Op] = []
        stack: list[tuple[Scope, Iterator[Scope | Op]]] = [(self.root, iter(self.root.children))]
        while stack:
            scope, children = stack[-1]
            child = next(children, None)
            if child is None:
                scope.end = len(ops)
                stack.pop()
            elif isinstance(child, Op):
                child.index = len(ops)
                ops.append(child)
            else:
                child.start = len(ops)
                stack.append((child, iter(child.children)))
        return ops

    def _make_edges(self, by_node: dict[int, Op]) -> Edges:
        rows = []
        for folded in self.folding.kept:
            target = by_node[folded.node].index
            for slot, source in enumerate(folded.sources):
                rows.append((target, slot, by_node[source.node].index, self._shape_id(source.shape)))
        table = np.array(sorted(rows), np.int64).reshape(-1, 4)
        return Edges(source=table[:, 2].copy(), target=table[:, 0].copy(), slot=table[:, 1], shape=table[:, 3])

    def _shape_id(self, shape: Shape | None) -> int:
        if shape is None:
            return 0
        known = self._shape_ids.get(shape)
        if known is None:
            known = self._shape_ids[shape] = len(self.shapes)
            self.shapes.append(shape)
        return known

    def _count_hidden(self, nodes: Sequence[Node]) -> None:
        for i, at in enumerate(self.folding.hidden):
            if i % 4096 == 0:
                check_cancelled()
            parts, _ = self.paths.scopes(nodes[at].name)
            path, found = "", self.root
            for part in parts:
                path = f"{path}/{part.label}" if path else part.label
                found = self.scopes.get(path, found)
            scope: Scope | None = found
            while scope is not None:
                scope.hidden += 1
                scope = scope.parent

    # ---- totals and comparison of ranges -------------------------------------------------------------------
    @cached_property
    def _by_source(self) -> Ints:
        return np.argsort(self.edges.source, kind="stable")

    def edges_into(self, start: int, end: int) -> slice:
        """Returns the edges whose target is in a range."""
        first, last = np.searchsorted(self.edges.target, (start, end))
        return slice(int(first), int(last))

    def edges_from(self, start: int, end: int) -> Ints:
        """Returns the edges whose source is in a range, by target."""
        sources = self.edges.source[self._by_source]
        first, last = np.searchsorted(sources, (start, end))
        return np.sort(self._by_source[first:last])

    @cached_property
    def _sums(self) -> dict[str, npt.NDArray[np.float64]]:
        """Prefix sums over the operations. A shared parameter counts at its first user."""
        counted: set[str] = set()
        parameters = np.zeros(len(self.ops))
        for op in self.ops:
            for parameter in op.parameters:
                if parameter.path not in counted:
                    counted.add(parameter.path)
                    parameters[op.index] += parameter.count
        flops = np.array([op.flops or 0.0 for op in self.ops])
        unknown = np.array([op.flops is None for op in self.ops], float)
        columns = {"parameters": parameters, "flops": flops, "unknown": unknown}
        return {name: np.concatenate([[0.0], np.cumsum(values)]) for name, values in columns.items()}

    def total_of(self, what: str, start: int, end: int) -> float:
        sums = self._sums[what]
        return float(sums[end] - sums[start])

    @cached_property
    def _codes(self) -> npt.NDArray[np.uint64]:
        """A number for each operation that is equal for equal operations, wherever they are."""
        return np.array([_code(op) for op in self.ops], np.uint64)

    def code(self, op: Op) -> bytes:
        return bytes(self._codes[op.index].tobytes())

    def digest(self, start: int, end: int) -> bytes:
        """Returns a hash of a range that is equal for ranges of equal structure: operations, shapes, parameters, and
        the edges between them. Names and what comes from outside do not count."""
        into = self.edges_into(start, end)
        source, target = self.edges.source[into], self.edges.target[into]
        inside = (source >= start) & (source < end)
        relative = np.stack([np.where(inside, source - start, -1), target - start, self.edges.slot[into]])
        hasher = hashlib.blake2b(self._codes[start:end].tobytes(), digest_size=16)
        hasher.update(np.ascontiguousarray(relative).tobytes())
        return hasher.digest()


def _code(op: Op) -> int:
    shapes = [(parameter.name, parameter.shape) for parameter in op.parameters]
    text = repr((op.node.op, op.shape, sorted(shapes, key=repr))).encode("utf-8", "replace")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")
