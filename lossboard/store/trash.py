"""Deleting with a way back: a run's event files move to a folder beside the logs and can be moved home again.

In the trash the files have numbers for names, so that neither TensorBoard nor a second board takes them for a run;
`manifest.json` says where each belongs. Emptying the trash is the user's: it is a folder like any other.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from lossboard.errors import LossboardError

NAME = ".lossboard-trash"
_MARK_OF_EVENT_FILES = "tfevents"


class TrashError(LossboardError):
    """Something could not be moved to the trash, or back."""


class Trash:
    """The trash of one logdir."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / NAME

    def put(self, runs: Iterable[Path], assets: Iterable[Path] = ()) -> str:
        """Moves the event files in folders of runs, and their assets. Returns the token that restores them.

        Either all files move or none.
        """
        token = secrets.token_hex(8)
        place = self._folder / token
        try:
            files = [file for run in runs for file in _event_files(self._confined(run))]
            files += [self._confined(asset) for asset in assets]
            place.mkdir(parents=True, mode=0o700)
            manifest = {str(i): str(file.relative_to(self._root)) for i, file in enumerate(files)}
            (place / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
            _move_all([(file, place / str(i)) for i, file in enumerate(files)])
        except OSError as error:
            raise TrashError(f"The run was not deleted: {error.strerror}.") from error
        return token

    def restore(self, token: str) -> None:
        """Moves what `put` moved back to where it was."""
        if token not in self.tokens():
            raise LookupError("There is nothing to undo: this was restored already, or the trash was emptied.")
        place = self._folder / token
        manifest: dict[str, str] = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        moves = [(place / number, self._confined(self._root / home)) for number, home in manifest.items()]
        if taken := [home.name for _, home in moves if home.exists()]:
            raise TrashError(f"Not restored: {taken[0]} is there again. Move it away first.")
        try:
            for _, home in moves:
                home.parent.mkdir(parents=True, exist_ok=True)
            _move_all(moves)
            (place / "manifest.json").unlink()
            place.rmdir()
        except OSError as error:
            raise TrashError(f"The run was not restored: {error.strerror}.") from error

    def tokens(self) -> frozenset[str]:
        """What can be restored."""
        if not self._folder.is_dir():
            return frozenset()
        return frozenset(entry.name for entry in os.scandir(self._folder) if entry.is_dir(follow_symlinks=False))

    def _confined(self, path: Path) -> Path:
        # A link in the logdir, or a manifest that someone edited, must not move files elsewhere.
        if not path.resolve().is_relative_to(self._root.resolve()):
            raise TrashError("This run is a link to outside of the logdir and is not deleted from here.")
        return path


def _event_files(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        return sorted(
            folder / entry.name
            for entry in entries
            if _MARK_OF_EVENT_FILES in entry.name and entry.is_file(follow_symlinks=False)
        )


def _move_all(moves: list[tuple[Path, Path]]) -> None:
    done: list[tuple[Path, Path]] = []
    try:
        for source, target in moves:
            source.rename(target)
            done.append((source, target))
    except OSError:
        for source, target in reversed(done):
            target.rename(source)
        raise
