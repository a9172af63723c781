"""Folding: hides bookkeeping and connects the operations that are left.

An operation's sources are the nearest drawn operations behind its inputs. Parameters become lines of the operations
that use them. Hidden are roles (see `roles.py`) and everything that depends on nothing but constants and sizes, such as
the index arithmetic of attention masks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lossboard.kinds.cancellation import check_cancelled
from lossboard.kinds.graphs.node import Node, decode_attribute
from lossboard.kinds.graphs.roles import Detail, Role, is_drawn, role_of

Shape: TypeAlias = tuple[int, ...]
_CHECK_EVERY = 2048
_MAX_SOURCES = 256
"""Sources of one operation. Behind a hidden node there may be thousands."""


@dataclass(frozen=True, slots=True)
class Source:
    """An input of an operation: the node behind it and the shape that comes from there, if it is known."""

    node: int
    shape: Shape | None
    is_control: bool = False


@dataclass(slots=True)
class Folded:
    """A node that is drawn."""

    node: int
    role: Role
    shape: Shape | None
    sources: list[Source] = field(default_factory=list)
    parameters: list[int] = field(default_factory=list)
    """Nodes of the parameters that it uses."""
    operands: list[Shape | None] = field(default_factory=list)
    """Shapes of its inputs as they arrive, in order."""


@dataclass(frozen=True)
class Folding:
    kept: list[Folded]
    hidden: list[int]
    """Nodes that are neither drawn nor parameters."""
    missing: int
    """Inputs that no node provides."""
    shapes: list[list[Shape | None]]
    """Shapes of the outputs of all nodes."""


def fold(nodes: Sequence[Node], detail: Detail) -> Folding:
    return _Folder(nodes, detail).run()


class _Folder:
    def __init__(self, nodes: Sequence[Node], detail: Detail) -> None:
        self.nodes = nodes
        self.detail = detail
        self.roles = [_role(node) for node in nodes]
        shapes = OutputShapes()
        self.shapes = [shapes.of(node) for node in nodes]
        self.by_name = {node.name: i for i, node in enumerate(nodes)}
        self.missing = 0
        self.inputs = [self._inputs(i) for i in range(len(nodes))]
        self.is_kept = self._choose()

    def run(self) -> Folding:
        kept = [self._folded(i) for i in range(len(self.nodes)) if self.is_kept[i]]
        hidden = [i for i, is_kept in enumerate(self.is_kept) if not is_kept and self.roles[i] != "parameter"]
        return Folding(kept, hidden, self.missing, self.shapes)

    def _inputs(self, of: int) -> list[tuple[int, int, bool]]:
        """Returns (node, output, whether it is a control input) of each input that exists."""
        if of % _CHECK_EVERY == 0:
            check_cancelled()
        found = []
        for name in self.nodes[of].inputs:
            is_control = name.startswith("^")
            plain, output = name.removeprefix("^"), 0
            node = self.by_name.get(plain)
            if node is None and ":" in plain:
                plain, _, port = plain.partition(":")
                node, output = self.by_name.get(plain), int(port) if port.isdecimal() and len(port) < 6 else 0
            if node is not None:
                found.append((node, output, is_control))
            elif plain and self.roles[of] != "parameter":  # torch's parameters name handles of modules
                self.missing += 1
        return found

    def _choose(self) -> list[bool]:
        drawn = [is_drawn(role, self.detail) for role in self.roles]
        if self.detail == "all":
            return drawn
        users: list[list[int]] = [[] for _ in self.nodes]
        for i, inputs in enumerate(self.inputs):
            for source, _, _ in inputs:
                users[source].append(i)
        # Data comes from inputs, parameters and operations without inputs, such as random numbers.
        has_data = self._reached(
            users,
            lambda i: (
                self.roles[i] in ("input", "output", "parameter") or (self.roles[i] == "compute" and not self.inputs[i])
            ),
        )
        has_sizes = self._reached(users, lambda i: self.roles[i] in ("constant", "size"))
        return [drawn[i] and (has_data[i] or not has_sizes[i]) for i in range(len(drawn))]

    def _reached(self, users: list[list[int]], is_start: Callable[[int], bool]) -> list[bool]:
        """Returns the nodes that depend on a start. Sizes and constants depend on nothing."""
        reached = [is_start(i) for i in range(len(self.nodes))]
        waiting = [i for i, is_reached in enumerate(reached) if is_reached]
        while waiting:
            for user in users[waiting.pop()]:
                if not reached[user] and self.roles[user] not in ("size", "constant"):
                    reached[user] = True
                    waiting.append(user)
        return reached

    def _folded(self, of: int) -> Folded:
        if of % _CHECK_EVERY == 0:
            check_cancelled()
        folded = Folded(of, self.roles[of], _at(self.shapes[of], 0))
        seen: set[int] = set()
        for source, output, is_control in self.inputs[of]:
            if not is_control:
                folded.operands.append(_at(self.shapes[source], output))
            self._trace(folded, source, output, is_control, seen)
        return folded

    def _trace(self, folded: Folded, source: int, output: int, is_control: bool, seen: set[int]) -> None:
        """Adds the kept nodes and parameters behind an input."""
        stack = [(source, output)]
        while stack and len(folded.sources) < _MAX_SOURCES:
            at, output = stack.pop()
            if self.roles[at] == "parameter":
                if at not in seen and not is_control:
                    folded.parameters.append(at)
            elif at in seen:  # the same operation twice, as in x + x, is one line
                continue
            elif self.is_kept[at]:
                folded.sources.append(Source(at, _at(self.shapes[at], output), is_control))
            elif self.roles[at] != "size":
                stack += [(node, port) for node, port, control in reversed(self.inputs[at]) if not control]
            seen.add(at)


def _role(node: Node) -> Role:
    role = role_of(node.op)
    if role == "input" and node.inputs:  # torch calls inputs and outputs `IO Node`; layers of Keras nest
        return "output" if node.op == "IO Node" else "compute"
    return role


class OutputShapes:
    """Shapes of the outputs of nodes, as far as they were logged. Most nodes share theirs with others."""

    def __init__(self) -> None:
        self._decoded: dict[bytes, list[Shape | None]] = {}

    def of(self, node: Node) -> list[Shape | None]:
        raw = node.raw_attribute(b"_output_shapes") or node.raw_attribute(b"shape")
        if raw is None:
            return []
        known = self._decoded.get(raw)
        if known is None:
            known = self._decoded[raw] = self._decode(raw)
        return known

    def _decode(self, raw: bytes) -> list[Shape | None]:
        attribute = decode_attribute(raw)
        if not isinstance(attribute.value, list):
            return []
        if attribute.kind == "shape":
            return [tuple(attribute.value)]
        return [tuple(shape) if isinstance(shape, list) else None for shape in attribute.value]


def _at(shapes: Sequence[Shape | None], output: int) -> Shape | None:
    return shapes[output] if output < len(shapes) else None
