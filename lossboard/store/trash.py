"""Trash: deleted runs move their event files to `.lossboard-trash` in the logdir, and can be restored.

In the trash, files have numbers as names, so that neither TensorBoard nor another board takes them for runs.
`manifest.json` has their original paths. Users empty the trash by deleting the directory.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from lossboard.errors import LossboardError

NAME = ".lossboard-trash"
_EVENT_FILE_MARK = "tfevents"


class TrashError(LossboardError):
    """Files could not be moved to the trash or back."""


class Trash:
    """The trash of one logdir."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / NAME

    def put(self, runs: Iterable[Path], assets: Iterable[Path] = ()) -> str:
        """Moves the event files of runs, and their assets. Returns the token that restores them.

        Either all files move or none.
        """
        token = secrets.token_hex(8)
        folder = self._folder / token
        try:
            files = [file for run in runs for file in _event_files(self._check_inside(run))]
            files += [self._check_inside(asset) for asset in assets]
            folder.mkdir(parents=True, mode=0o700)
            manifest = {str(i): str(file.relative_to(self._root)) for i, file in enumerate(files)}
            (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
            _move_all([(file, folder / str(i)) for i, file in enumerate(files)])
        except OSError as error:
            raise TrashError(f"The run was not deleted: {error.strerror}.") from error
        return token

    def restore(self, token: str) -> None:
        """Moves files back to their original paths."""
        if token not in self.tokens():
            raise LookupError("Nothing to restore. The runs were restored already, or the trash was emptied.")
        folder = self._folder / token
        manifest: dict[str, str] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        moves = [(folder / number, self._check_inside(self._root / original)) for number, original in manifest.items()]
        if existing := [target.name for _, target in moves if target.exists()]:
            raise TrashError(f"Not restored, because {existing[0]} exists again. Move it to another directory first.")
        try:
            for _, target in moves:
                target.parent.mkdir(parents=True, exist_ok=True)
            _move_all(moves)
            (folder / "manifest.json").unlink()
            folder.rmdir()
        except OSError as error:
            raise TrashError(f"The run was not restored: {error.strerror}.") from error

    def tokens(self) -> frozenset[str]:
        """Returns the tokens of all deletions that can be restored."""
        if not self._folder.is_dir():
            return frozenset()
        return frozenset(entry.name for entry in os.scandir(self._folder) if entry.is_dir(follow_symlinks=False))

    def _check_inside(self, path: Path) -> Path:
        # A link in the logdir, or an edited manifest, must not move files outside of the logdir.
        if not path.resolve().is_relative_to(self._root.resolve()):
            raise TrashError("This run is a link to a directory outside of the logdir. Delete it there.")
        return path


def _event_files(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        return sorted(
            folder / entry.name
            for entry in entries
            if _EVENT_FILE_MARK in entry.name and entry.is_file(follow_symlinks=False)
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
