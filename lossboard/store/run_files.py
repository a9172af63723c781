"""Files in the folder of a run, with their sizes. Links are listed and not followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, TypeAlias

FileType: TypeAlias = Literal["file", "folder", "link", "other"]

_MAX_LISTED = 500
_MAX_SCANNED = 20_000
_MAX_COUNTED = 20_000
"""Files below a folder that are counted. A folder of checkpoints has few, one of logged images many."""


@dataclass(frozen=True)
class RunFile:
    """An entry of a run's folder. A folder has the size of everything below it."""

    name: str
    type: FileType
    bytes: int
    modified: float
    files: int
    """Number of files: 1, or how many a folder has."""


@dataclass(frozen=True)
class RunFiles:
    files: list[RunFile]
    """Ordered by name, folders first."""
    is_complete: bool
    """False if there are more files than are listed and counted."""


def list_run_files(folder: Path) -> RunFiles:
    """Lists a folder, and adds up the sizes of the folders in it. An unreadable folder is empty."""
    counter = _Counter(_MAX_COUNTED)
    found = islice(_scan(folder), _MAX_SCANNED)
    entries = sorted(found, key=lambda entry: (not _is_folder(entry), entry.name))
    files = [file for entry in entries[:_MAX_LISTED] if (file := _describe(entry, counter)) is not None]
    return RunFiles(files, is_complete=len(entries) <= _MAX_LISTED and counter.left > 0)


class _Counter:
    """Adds up files of nested folders until too many have been seen."""

    def __init__(self, limit: int) -> None:
        self.left = limit

    def add_up(self, folder: str) -> tuple[int, int]:
        """Returns the number of files below a folder, and their size."""
        files = size = 0
        folders = [folder]
        while folders and self.left > 0:
            for entry in _scan(folders.pop()):
                self.left -= 1
                if self.left <= 0:
                    break
                if _is_folder(entry):
                    folders.append(entry.path)
                elif (status := _status(entry)) is not None:
                    files, size = files + 1, size + status.st_size
        return files, size


def _describe(entry: os.DirEntry[str], counter: _Counter) -> RunFile | None:
    status = _status(entry)
    if status is None:
        return None
    if stat.S_ISDIR(status.st_mode):
        files, size = counter.add_up(entry.path)
        return RunFile(entry.name, "folder", size, status.st_mtime, files)
    kinds: dict[int, FileType] = {stat.S_IFREG: "file", stat.S_IFLNK: "link"}
    return RunFile(entry.name, kinds.get(stat.S_IFMT(status.st_mode), "other"), status.st_size, status.st_mtime, 1)


def _scan(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:  # removed, or not readable
        return


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _status(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except OSError:  # just removed
        return None
