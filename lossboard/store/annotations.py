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
from lossboard.store.trash import NAME as TRASH_NAME
from lossboard.store.trash import DeletedRun, Trash, TrashError

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir, Root
    from lossboard.store.run import Run

_MAX_CHARS = 20_000
_MAX_TAGS = 100
_MAX_DISMISSED = 1000


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_CHARS


def _is_tags(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_TAGS and all(map(_is_text, value))


def _is_dismissed(value: object) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_DISMISSED and all(map(_is_text, value))


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
    "dismissed": (_is_dismissed, "a list of keys of findings"),
}


class RunAnnotations(TypedDict, total=False):
    """Annotations of one run. A color is a palette slot 0–11 or #rrggbb. `dismissed` are keys of findings."""

    alias: str
    note: str
    tags: list[str]
    colour: int | str
    hidden: bool
    archived: bool
    dismissed: list[str]


class DeletedRunInfo(TypedDict):
    """A run in the trash. `path` is where it was, `deleted` the time of the deletion."""

    id: str
    name: str
    path: str
    deleted: float
    files: int
    bytes: int


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
        """Moves runs to the trash: all of them, or none. Returns the token that `undelete` expects."""
        by_root = [(self._logdir.roots.index(self._root(run)), run) for run in runs]
        if any(self._logdir.roots[number].is_file for number, _ in by_root):
            raise UsageError("The logdir is a single event file. Only runs in a directory can be deleted.")
        done: list[str] = []
        try:
            for number, run in by_root:
                token = self._trash(number).put([run.path], run.assets.paths(run.path))
                done.append(f"{number}-{token}")
        except TrashError:
            if done:
                self.undelete(".".join(done))
            raise
        return ".".join(done)

    def undelete(self, undo: object) -> None:
        """Restores runs by the token of their deletion, or by the ids of `deleted_runs` joined by dots."""
        for number, token in self._parse_tokens(undo):
            self._trash(number).restore(token)

    def deleted_runs(self) -> list[DeletedRunInfo]:
        """Returns the runs in the trash, the latest first."""
        found = [
            self._describe_deleted(number, run)
            for number in range(len(self._logdir.roots))
            for run in self._trash(number).runs()
        ]
        return sorted(found, key=lambda run: run["deleted"], reverse=True)

    def trash_folders(self) -> list[str]:
        return [str((root.folder / TRASH_NAME).absolute()) for root in self._logdir.roots]

    def remove_deleted(self, ids: object) -> None:
        """Deletes runs of the trash for good, by the ids of `deleted_runs` joined by dots."""
        for number, token in self._parse_tokens(ids):
            self._trash(number).remove(token)
            self._trash(number).remove_leftovers()

    def _trash(self, number: int) -> Trash:
        return self._trashes[self._logdir.roots[number].path]

    def _parse_tokens(self, joined: object) -> list[tuple[int, str]]:
        if isinstance(joined, str) and re.fullmatch(r"\d+-[\w-]+(\.\d+-[\w-]+)*", joined, re.ASCII):
            pairs = [part.split("-", 1) for part in joined.split(".")]
            if all(int(number) < len(self._logdir.roots) for number, _ in pairs):
                return [(int(number), token) for number, token in pairs]
        raise UsageError('Expected "undo" to be the token that the deletion returned, or ids of /api/trash.')

    def _describe_deleted(self, number: int, run: DeletedRun) -> DeletedRunInfo:
        root = self._logdir.roots[number]
        fields = self._sidecars[root.path].runs().get(run.name)
        alias = fields.get("alias") if isinstance(fields, dict) else None
        return {
            "id": f"{number}-{run.token}",
            "name": alias if isinstance(alias, str) and alias else root.folder.name if run.name == "." else run.name,
            "path": str((root.folder / run.name).absolute()),
            "deleted": run.deleted_at,
            "files": run.files,
            "bytes": run.bytes,
        }

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
