"""Trash: deleted runs move their event files to `.lossboard-trash` in the logdir, and can be restored.

In the trash, files have numbers as names, so that neither TensorBoard nor another board takes them for runs.
`manifest.json` has their original paths. Users empty the trash by deleting the directory.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from lossboard.errors import LossboardError
from lossboard.safe_files import SafeFolder, UnsafeFile

NAME = ".lossboard-trash"
MANIFEST = "manifest.json"
_MAX_MANIFEST_BYTES = 16 << 20
_EVENT_FILE_MARK = "tfevents"


class TrashError(LossboardError):
    """Files could not be moved to the trash or back."""


class Trash:
    """The trash of one logdir."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, runs: Iterable[Path], assets: Iterable[Path] = ()) -> str:
        """Moves the event files of runs, and their assets. Returns the token that restores them.

        Either all files move or none. A link moves itself, and the file that it leads to stays.
        """
        token = secrets.token_hex(8)
        try:
            files = [file for run in runs for file in _event_files(self._check_inside(run))]
            files += [self._check_inside(asset.parent) / asset.name for asset in assets]
            if not files:
                raise TrashError("The run was not deleted: it has no files that can be moved.")
            with SafeFolder.open(self._root) as logdir, logdir.open_folder(NAME, create=True) as trash:
                self._fill(trash, token, files)
        except OSError as error:
            raise TrashError(f"The run was not deleted: {error.strerror}.") from error
        return token

    def restore(self, token: str) -> None:
        """Moves files back to their original paths."""
        if token not in self.tokens():
            raise LookupError("Nothing to restore. The runs were restored already, or the trash was emptied.")
        try:
            with (
                SafeFolder.open(self._root) as logdir,
                logdir.open_folder(NAME) as trash,
                trash.open_folder(token) as folder,
            ):
                self._restore_files(folder, self._read_manifest(folder))
                os.unlink(MANIFEST, dir_fd=folder.descriptor)
                os.rmdir(token, dir_fd=trash.descriptor)
        except OSError as error:
            raise TrashError(f"The run was not restored: {error.strerror}.") from error

    def tokens(self) -> frozenset[str]:
        """Returns the tokens of all deletions that can be restored."""
        try:
            with SafeFolder.open(self._root) as logdir, logdir.open_folder(NAME) as trash:
                entries = os.scandir(trash.descriptor)
                with entries:
                    return frozenset(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except (FileNotFoundError, UnsafeFile):
            return frozenset()

    def _fill(self, trash: SafeFolder, token: str, files: list[Path]) -> None:
        with trash.open_folder(token, create=True) as folder:
            try:
                manifest = {str(i): str(file.relative_to(self._root)) for i, file in enumerate(files)}
                folder.replace(MANIFEST, json.dumps(manifest).encode())
                _move_all([(None, str(file), folder.descriptor, str(i)) for i, file in enumerate(files)])
            except OSError:
                if folder.mode(MANIFEST) is not None:
                    os.unlink(MANIFEST, dir_fd=folder.descriptor)
                os.rmdir(token, dir_fd=trash.descriptor)
                raise

    def _read_manifest(self, folder: SafeFolder) -> Mapping[str, Path]:
        """Returns the original path of each file in the trash. Raises TrashError if the manifest was edited."""
        try:
            manifest = json.loads(folder.read(MANIFEST, max_bytes=_MAX_MANIFEST_BYTES))
        except (ValueError, RecursionError) as error:
            raise TrashError(f"Not restored, because {MANIFEST} in the trash is not valid JSON.") from error
        if not isinstance(manifest, dict) or not all(map(_is_number, manifest)):
            raise _edited()
        originals = [original for original in manifest.values() if isinstance(original, str) and "\0" not in original]
        if len(set(originals)) < len(manifest):
            raise _edited()
        return {number: self._check_inside(self._root / original) for number, original in manifest.items()}

    def _restore_files(self, folder: SafeFolder, originals: Mapping[str, Path]) -> None:
        # A file that is missing in the trash never moved there: the deletion was killed halfway.
        modes = {number: folder.mode(number) for number in originals}
        moves = [(number, original) for number, original in originals.items() if modes[number] is not None]
        if not all(stat.S_ISREG(modes[number] or 0) or stat.S_ISLNK(modes[number] or 0) for number, _ in moves):
            raise _edited()
        if existing := [original.name for _, original in moves if os.path.lexists(original)]:
            raise TrashError(f"Not restored, because {existing[0]} exists again. Move it to another directory first.")
        for _, original in moves:
            original.parent.mkdir(parents=True, exist_ok=True)
        _move_all([(folder.descriptor, number, None, str(original)) for number, original in moves])

    def _check_inside(self, path: Path) -> Path:
        # A link in the logdir, or an edited manifest, must not move files outside of the logdir.
        if not path.resolve().is_relative_to(self._root.resolve()):
            raise TrashError("This run is a link to a directory outside of the logdir. Delete it there.")
        return path


def _edited() -> TrashError:
    return TrashError(f"Not restored, because {MANIFEST} in the trash was edited.")


def _is_number(name: str) -> bool:
    return name.isascii() and name.isdigit()


def _event_files(folder: Path) -> list[Path]:
    with os.scandir(folder) as entries:
        return sorted(folder / entry.name for entry in entries if _EVENT_FILE_MARK in entry.name and entry.is_file())


Move = tuple[int | None, str, int | None, str]
"""Source and target, each a path, or a descriptor of a directory and a name in it."""


def _move_all(moves: list[Move]) -> None:
    done: list[Move] = []
    try:
        for source_folder, source, target_folder, target in moves:
            os.rename(source, target, src_dir_fd=source_folder, dst_dir_fd=target_folder)
            done.append((source_folder, source, target_folder, target))
    except OSError:
        for source_folder, source, target_folder, target in reversed(done):
            os.rename(target, source, src_dir_fd=target_folder, dst_dir_fd=source_folder)
        raise
