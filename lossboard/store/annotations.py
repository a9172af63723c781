"""User annotations of runs: names, notes, tags, colors, hidden and archived runs, and saved views.

Each root of a logdir has its own sidecar file and its own trash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

from lossboard.errors import UsageError
from lossboard.store.sidecar import Sidecar
from lossboard.store.trash import Trash

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir, Root
    from lossboard.store.run import Run

_MAX_CHARS = 20_000
_MAX_TAGS = 100


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_CHARS


def _is_tags(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_TAGS and all(map(_is_text, value))


def _is_color(value: object) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"#[0-9a-fA-F]{6}", value) is not None
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 11


def _is_bool(value: object) -> bool:
    return isinstance(value, bool)


_FIELDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "alias": (_is_text, "a string"),
    "note": (_is_text, "a string"),
    "tags": (_is_tags, "a list of strings"),
    "colour": (_is_color, "a palette slot 0–11 or #rrggbb"),
    "hidden": (_is_bool, "true or false"),
    "archived": (_is_bool, "true or false"),
}


class RunAnnotations(TypedDict, total=False):
    """Annotations of one run. A color is a palette slot 0–11 or #rrggbb."""

    alias: str
    note: str
    tags: list[str]
    colour: int | str
    hidden: bool
    archived: bool


class Annotations:
    """Sidecars and trashes of all roots of a logdir."""

    def __init__(self, logdir: Logdir) -> None:
        self._logdir = logdir
        self._sidecars = {root.path: Sidecar(root.folder) for root in logdir.roots}
        self._trashes = {root.path: Trash(root.folder) for root in logdir.roots}

    @property
    def version(self) -> tuple[object, ...]:
        """Changes with every change of an annotation, so that results can be cached by it."""
        return tuple(sidecar.stamp for sidecar in self._sidecars.values())

    def refresh(self) -> bool:
        """Reads the sidecar files that changed. Returns whether any did."""
        changed = [sidecar.refresh() for sidecar in self._sidecars.values()]
        return any(changed)

    def of(self, run: Run) -> RunAnnotations:
        """Returns the fields of one run. Unknown or invalid fields in the file are left out."""
        if not any(sidecar.runs() for sidecar in self._sidecars.values()):
            return {}
        root = self._root(run)
        fields = self._sidecars[root.path].runs().get(_key(run, root))
        if not isinstance(fields, dict):
            return {}
        valid = {name: value for name, value in fields.items() if name in _FIELDS and _FIELDS[name][0](value)}
        return cast("RunAnnotations", valid)

    def views(self) -> dict[str, str]:
        merged: dict[str, str] = {}
        for sidecar in reversed(self._sidecars.values()):
            merged |= {name: state for name, state in sidecar.views().items() if _is_text(state)}
        return merged

    def why_not_writable(self) -> str:
        return next((reason for sidecar in self._sidecars.values() if (reason := sidecar.why_not_writable())), "")

    def edit(self, runs: Iterable[Run], changes: object) -> None:
        """Sets fields of runs. None removes a field."""
        checked = _check(changes)
        keys: dict[Path, list[str]] = {}
        for run in runs:
            root = self._root(run)
            keys.setdefault(root.path, []).append(_key(run, root))
        for path, names in keys.items():
            self._sidecars[path].edit_runs(names, checked)

    def save_view(self, name: object, state: object) -> None:
        if not (_is_text(name) and name and (state is None or _is_text(state))):
            raise UsageError('Expected "name" and "state" to be strings.')
        next(iter(self._sidecars.values())).edit_view(str(name), state)

    def delete_view(self, name: object) -> None:
        if not _is_text(name):
            raise UsageError('Expected "name" to be a string.')
        for sidecar in self._sidecars.values():
            if name in sidecar.views():
                sidecar.edit_view(str(name), None)

    def delete(self, runs: Iterable[Run]) -> str:
        """Moves runs to the trash. Returns the token that `undelete` expects."""
        by_root: dict[int, list[Run]] = {}
        for run in runs:
            by_root.setdefault(self._logdir.roots.index(self._root(run)), []).append(run)
        tokens = []
        if any(self._logdir.roots[number].is_file for number in by_root):
            raise UsageError("The logdir is a single event file. Only runs in a directory can be deleted.")
        for number, own in by_root.items():
            trash = self._trashes[self._logdir.roots[number].path]
            token = trash.put((run.path for run in own), (run.path / file for run in own for file in run.assets.files))
            tokens.append(f"{number}-{token}")
        return ".".join(tokens)

    def undelete(self, undo: object) -> None:
        if not isinstance(undo, str) or not re.fullmatch(r"\d+-[0-9a-f]+(\.\d+-[0-9a-f]+)*", undo):
            raise UsageError('Expected "undo" to be the token that the deletion returned.')
        for part in undo.split("."):
            number, token = part.split("-")
            if int(number) >= len(self._logdir.roots):
                raise UsageError('Expected "undo" to be the token that the deletion returned.')
            self._trashes[self._logdir.roots[int(number)].path].restore(token)

    def _root(self, run: Run) -> Root:
        return max(
            (root for root in self._logdir.roots if _is_in(run, root)),
            key=lambda root: len(root.path.parts),
            default=self._logdir.roots[0],
        )


def _is_in(run: Run, root: Root) -> bool:
    return root.run_name(str(run.path)) == run.name if root.is_file else run.path.is_relative_to(root.path)


def _key(run: Run, root: Root) -> str:
    if root.is_file:
        return root.path.name
    return run.path.relative_to(root.path).as_posix() if run.path.is_relative_to(root.path) else run.name


def _check(changes: object) -> dict[str, Any]:
    if not isinstance(changes, dict) or not changes or changes.keys() - _FIELDS.keys():
        raise UsageError(f'Expected "set" to hold some of {", ".join(_FIELDS)}.')
    for name, value in changes.items():
        is_valid, expected = _FIELDS[name]
        if value is not None and not is_valid(value):
            raise UsageError(f'Expected "{name}" to be {expected}, or null to remove it.')
    return changes
