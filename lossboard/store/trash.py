"""Trash: deleted runs move their event files to `.lossboard-trash` in the logdir, and can be restored.

Each deleted run has a folder there, named by the time of the deletion and the run. Its files have numbers as names, so
that neither TensorBoard nor another board takes them for runs. `manifest.json` has the name of the run, the time and
the original paths. A process may be killed at any moment: the manifest is written before the first file moves and
removed after the last one, so a folder with files can always be restored.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lossboard.errors import LossboardError
from lossboard.safe_files import SafeFolder

NAME = ".lossboard-trash"
MANIFEST = "manifest.json"
_ABOUT = "A run that was deleted in Lossboard. To restore it: lossboard trash LOGDIR restore RUN"
_MAX_MANIFEST_BYTES = 16 << 20
_MAX_NAME_CHARS = 60
_EVENT_FILE_MARK = "tfevents"


class TrashError(LossboardError):
    """Files could not be moved to the trash or back."""


@dataclass(frozen=True)
class DeletedRun:
    """A run in the trash."""

    token: str
    """What restores it: the name of its folder in the trash."""
    name: str
    """Path of the run, relative to the logdir."""
    deleted_at: float
    files: int
    bytes: int


@dataclass(frozen=True)
class _Manifest:
    name: str
    deleted_at: float | None
    originals: Mapping[str, Path]


class Trash:
    """The trash of one logdir."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, runs: Iterable[Path], assets: Iterable[Path] = ()) -> str:
        """Moves the event files of runs, and their assets. Returns the token that restores them.

        Either all files move or none. A link moves itself, and the file that it leads to stays.
        """
        try:
            runs = list(runs)
            files = [file for run in runs for file in _event_files(self._check_inside(run))]
            files += [self._check_inside(asset.parent) / asset.name for asset in assets]
            if not files:
                raise TrashError("The run was not deleted: it has no files that can be moved.")
            name = os.path.relpath(runs[0] if runs else files[0].parent, self._root)
            deleted_at = time.time()
            token = _token(self._root.name if name == "." else name, deleted_at)
            with SafeFolder.open(self._root) as logdir, logdir.open_folder(NAME, create=True) as trash:
                self._fill(trash, token, {"about": _ABOUT, "run": name, "deleted": deleted_at}, files)
        except OSError as error:
            raise TrashError(f"The run was not deleted: {error.strerror}.") from error
        return token

    def restore(self, token: str) -> None:
        """Moves files back to their original paths."""
        if token not in self.tokens():
            raise LookupError("Nothing to restore. The runs were restored already, or the trash was emptied.")
        try:
            with self._opened(token) as (trash, folder):
                self._restore_files(folder, self._read_manifest(folder).originals)
                os.unlink(MANIFEST, dir_fd=folder.descriptor)
                os.rmdir(token, dir_fd=trash.descriptor)
        except OSError as error:
            raise TrashError(f"The run was not restored: {error.strerror}.") from error

    def runs(self) -> list[DeletedRun]:
        """Returns the deleted runs, the latest first. Folders without files or with an edited manifest are left out."""
        found: list[DeletedRun] = []
        for token in self.tokens():
            try:
                with self._opened(token) as (_, folder):
                    found += self._describe(folder, token)
            except (OSError, TrashError):
                continue  # restored or removed meanwhile, or not what Lossboard wrote
        return sorted(found, key=lambda run: run.deleted_at, reverse=True)

    def remove(self, token: str) -> None:
        """Deletes the files of a deleted run for good."""
        if token not in self.tokens():
            raise LookupError("No such run in the trash. It was restored or removed already.")
        try:
            with self._opened(token) as (trash, folder):
                # The manifest goes first: a run that lost some of its files must not be offered for restoring.
                with os.scandir(folder.descriptor) as entries:
                    numbers = [entry.name for entry in entries if _is_number(entry.name)]
                for name in [MANIFEST, *numbers]:
                    if folder.mode(name) is not None:
                        os.unlink(name, dir_fd=folder.descriptor)
                os.rmdir(token, dir_fd=trash.descriptor)
        except OSError as error:
            raise TrashError(f"The run was not removed from the trash: {error.strerror}.") from error

    def remove_leftovers(self) -> None:
        """Removes folders without a manifest, which a killed process left."""
        for token in self.tokens():
            with self._opened(token) as (_, folder):
                is_leftover = folder.mode(MANIFEST) is None
            if is_leftover:
                self.remove(token)

    @contextmanager
    def _opened(self, token: str) -> Iterator[tuple[SafeFolder, SafeFolder]]:
        """Opens the trash and a folder in it."""
        with (
            SafeFolder.open(self._root) as logdir,
            logdir.open_folder(NAME) as trash,
            trash.open_folder(token) as folder,
        ):
            yield trash, folder

    def _describe(self, folder: SafeFolder, token: str) -> list[DeletedRun]:
        manifest = self._read_manifest(folder)
        numbers = [number for number in manifest.originals if folder.mode(number) is not None]
        sizes = [os.stat(number, dir_fd=folder.descriptor, follow_symlinks=False).st_size for number in numbers]
        deleted_at = manifest.deleted_at or os.fstat(folder.descriptor).st_mtime
        return [DeletedRun(token, manifest.name, deleted_at, len(sizes), sum(sizes))] if sizes else []

    def tokens(self) -> frozenset[str]:
        """Returns the tokens of all deletions that can be restored."""
        try:
            with SafeFolder.open(self._root) as logdir, logdir.open_folder(NAME) as trash:
                entries = os.scandir(trash.descriptor)
                with entries:
                    return frozenset(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError:  # missing, unsafe, or in a logdir that cannot be opened: nothing can be restored now
            return frozenset()

    def _fill(self, trash: SafeFolder, token: str, facts: Mapping[str, object], files: list[Path]) -> None:
        with trash.open_folder(token, create=True) as folder:
            try:
                originals = {str(i): str(file.relative_to(self._root)) for i, file in enumerate(files)}
                folder.replace(MANIFEST, json.dumps({**facts, "files": originals}, indent=1).encode())
                _move_all([(None, str(file), folder.descriptor, str(i)) for i, file in enumerate(files)])
            except OSError:
                if folder.mode(MANIFEST) is not None:
                    os.unlink(MANIFEST, dir_fd=folder.descriptor)
                os.rmdir(token, dir_fd=trash.descriptor)
                raise

    def _read_manifest(self, folder: SafeFolder) -> _Manifest:
        """Returns the original path of each file in the trash. Raises TrashError if the manifest was edited."""
        try:
            manifest = json.loads(folder.read(MANIFEST, max_bytes=_MAX_MANIFEST_BYTES))
        except (ValueError, RecursionError) as error:
            raise TrashError(f"Not restored, because {MANIFEST} in the trash is not valid JSON.") from error
        if not isinstance(manifest, dict):
            raise _edited()
        # Manifests of the first versions have nothing but the files.
        files = manifest.get("files", manifest)
        if not isinstance(files, dict) or not files or not all(map(_is_number, files)):
            raise _edited()
        originals = [original for original in files.values() if isinstance(original, str) and "\0" not in original]
        if len(set(originals)) < len(files):
            raise _edited()
        name, deleted_at = manifest.get("run"), manifest.get("deleted")
        return _Manifest(
            name if isinstance(name, str) else str(Path(originals[0]).parent),
            deleted_at if isinstance(deleted_at, int | float) else None,
            {number: self._check_inside(self._root / original) for number, original in files.items()},
        )

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


def _token(name: str, deleted_at: float) -> str:
    """Returns the name of a folder in the trash, which tells when and what: 2026-01-31_23-59-00_bert-lr3e-5_1f3a."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).replace(_EVENT_FILE_MARK, "events")[:_MAX_NAME_CHARS]
    return f"{time.strftime('%Y-%m-%d_%H-%M-%S', time.localtime(deleted_at))}_{plain}_{secrets.token_hex(2)}"


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
