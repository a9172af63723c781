"""What people add to runs, over all folders of a logdir: each folder has its own sidecar and its own trash."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lossboard.errors import UsageError
from lossboard.store.sidecar import Sidecar
from lossboard.store.trash import Trash

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir, Root
    from lossboard.store.run import Run

_MAX_TEXT = 20_000


def _text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT


def _colour(value: object) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"#[0-9a-fA-F]{6}", value) is not None
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 11


_FIELDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "alias": (_text, "a text"),
    "note": (_text, "a text"),
    "tags": (lambda value: isinstance(value, list) and len(value) <= 100 and all(map(_text, value)), "a list of texts"),
    "colour": (_colour, "a palette slot 0–11 or #rrggbb"),
    "hidden": (lambda value: isinstance(value, bool), "true or false"),
    "archived": (lambda value: isinstance(value, bool), "true or false"),
}


class Annotations:
    """Sidecars and trashes of all roots."""

    def __init__(self, logdir: Logdir) -> None:
        self._logdir = logdir
        self._sidecars = {root.path: Sidecar(root.path) for root in logdir.roots}
        self._trashes = {root.path: Trash(root.path) for root in logdir.roots}

    def refresh(self) -> bool:
        changed = [sidecar.refresh() for sidecar in self._sidecars.values()]
        return any(changed)

    def of(self, run: Run) -> dict[str, Any]:
        """The fields of one run; anything that an edited file holds besides is left out."""
        if not any(sidecar.runs() for sidecar in self._sidecars.values()):
            return {}
        root = self._root(run)
        fields = self._sidecars[root.path].runs().get(_key(run, root))
        if not isinstance(fields, dict):
            return {}
        return {name: value for name, value in fields.items() if name in _FIELDS and _FIELDS[name][0](value)}

    def views(self) -> Mapping[str, Any]:
        merged: dict[str, Any] = {}
        for sidecar in reversed(self._sidecars.values()):
            merged |= sidecar.views()
        return merged

    def why_not_writable(self) -> str:
        return next((reason for sidecar in self._sidecars.values() if (reason := sidecar.why_not_writable())), "")

    def edit(self, runs: Iterable[Run], changes: object) -> None:
        checked = _checked(changes)
        for run in runs:
            root = self._root(run)
            self._sidecars[root.path].edit_run(_key(run, root), checked)

    def save_view(self, name: object, state: object) -> None:
        if not (_text(name) and name and (state is None or _text(state))):
            raise UsageError('Expected "name" and "state" to be texts.')
        next(iter(self._sidecars.values())).edit_view(str(name), state)

    def delete_view(self, name: object) -> None:
        for sidecar in self._sidecars.values():
            if name in sidecar.views():
                sidecar.edit_view(str(name), None)

    def delete(self, runs: Iterable[Run]) -> str:
        """Moves runs to the trash; the answer is what `undelete` wants."""
        by_root: dict[int, list[Run]] = {}
        for run in runs:
            by_root.setdefault(self._logdir.roots.index(self._root(run)), []).append(run)
        tokens = []
        for number, own in by_root.items():
            tokens.append(f"{number}-{self._trashes[self._logdir.roots[number].path].put(run.path for run in own)}")
        return ".".join(tokens)

    def undelete(self, undo: object) -> None:
        if not isinstance(undo, str) or not re.fullmatch(r"\d+-[0-9a-f]+(\.\d+-[0-9a-f]+)*", undo):
            raise UsageError('Expected "undo" to be what the deletion answered.')
        for part in undo.split("."):
            number, token = part.split("-")
            if int(number) >= len(self._logdir.roots):
                raise UsageError('Expected "undo" to be what the deletion answered.')
            self._trashes[self._logdir.roots[int(number)].path].restore(token)

    def _root(self, run: Run) -> Root:
        return max(
            (root for root in self._logdir.roots if run.path.is_relative_to(root.path)),
            key=lambda root: len(root.path.parts),
            default=self._logdir.roots[0],
        )


def _key(run: Run, root: Root) -> str:
    return run.path.relative_to(root.path).as_posix() if run.path.is_relative_to(root.path) else run.name


def _checked(changes: object) -> dict[str, Any]:
    if not isinstance(changes, dict) or not changes:
        raise UsageError(f'Expected "set" to hold some of {", ".join(_FIELDS)}.')
    for name, value in changes.items():
        if name not in _FIELDS:
            raise UsageError(f'Expected "set" to hold some of {", ".join(_FIELDS)}.')
        is_right, wanted = _FIELDS[name]
        if value is not None and not is_right(value):
            raise UsageError(f'Expected "{name}" to be {wanted}, or null to remove it.')
    return changes
