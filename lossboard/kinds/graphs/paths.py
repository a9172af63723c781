"""Names of nodes as paths of scopes: `bert/encoder/layer.0/attention/self/query`.

torch writes `Root/Class[attribute]/…/value`. The attributes are the path, the classes decoration, and lists of modules,
which are not called themselves, only appear in the names of parameters: `ModuleList[layer]/BertLayer[0]` is the module
that operations know as `BertLayer[0]`. It becomes `layer.0`, so paths are those of the state dict. TensorFlow, ONNX and
Keras separate scopes by slashes alone.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from lossboard.kinds.graphs.node import Node
from lossboard.kinds.graphs.roles import role_of

MAX_DEPTH = 48
MAX_PART = 120
"""Longer parts of a name are shortened, and told apart by a hash."""
_MAX_NAME = 1 << 14
_MODULE = re.compile(r"(\w*)\[([^\]]*)\]\Z")
_CONTAINERS = frozenset({"ModuleList", "ModuleDict", "ParameterList", "ParameterDict"})


@dataclass(frozen=True, slots=True)
class Part:
    """One scope of a path, with the class of the module if it is known."""

    label: str
    type: str = ""


class PathReader:
    """Reads the names of one graph."""

    def __init__(self, nodes: Iterable[Node]) -> None:
        self.is_torch = False
        self.title = ""
        self._lists: dict[tuple[str, ...], str] = {}
        self._known: dict[tuple[str, ...], tuple[Part, ...]] = {}
        roots: set[str] = set()
        for node in nodes:
            if node.op.startswith(("aten::", "prim::")):
                self.is_torch = True
                if "/" in node.name:
                    roots.add(node.name[:_MAX_NAME].split("/", 1)[0])
                if role_of(node.op) == "parameter":
                    self._note_lists(node.name)
        if self.is_torch and len(roots) == 1:
            self.title = _short(roots.pop())

    @property
    def separator(self) -> str:
        """What stands between the labels of scopes that are shown as one."""
        return "." if self.is_torch else "/"

    def scopes(self, name: str) -> tuple[tuple[Part, ...], str]:
        """Returns the scopes of a node, and its own name."""
        *scopes, leaf = _split(name)
        key = tuple(scopes)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = tuple(self._parts(scopes))
        return known, _short(leaf) or "unnamed"

    def _parts(self, scopes: list[str]) -> list[Part]:
        if not self.is_torch:
            return [Part(_short(scope)) for scope in scopes if scope]
        if scopes and (scopes[0] in ("input", "output") or scopes[0] == self.title):
            scopes = scopes[1:]
        parts: list[Part] = []
        called: tuple[str, ...] = ()
        pending = ""
        for scope in scopes:
            type, attribute = _module(scope)
            if type in _CONTAINERS:
                pending += f"{attribute}."
                continue
            called = (*called, attribute)
            parts.append(Part(_short(self._lists.get(called, pending + attribute)), type))
            pending = ""
        return parts

    def _note_lists(self, name: str) -> None:
        """Notes which called modules are in lists: `encoder`, `0` is `layer.0` in the encoder."""
        called: tuple[str, ...] = ()
        pending = ""
        for scope in _split(name)[1:-1]:
            type, attribute = _module(scope)
            if type in _CONTAINERS:
                pending += f"{attribute}."
                continue
            called = (*called, attribute)
            if pending:
                self._lists[called] = pending + attribute
            pending = ""


def _split(name: str) -> list[str]:
    """Splits a name at slashes. What is too deep stays together."""
    if len(name) > _MAX_NAME:
        name = f"{name[:MAX_PART]}…{_digest(name)}"
    return name.strip("/").split("/", MAX_DEPTH)


def _module(scope: str) -> tuple[str, str]:
    match = _MODULE.match(scope)
    return (match[1], match[2]) if match else ("", scope)


def _short(text: str) -> str:
    return text if len(text) <= MAX_PART else f"{text[: MAX_PART - 10]}…{_digest(text)}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()
