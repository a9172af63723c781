"""Cache of prepared data: arrays that are written once, in chunks, and memory-mapped from then on.

An entry is a directory, named by a hash of everything that its content depends on. So a changed file or setting gives
another entry, and no entry is ever changed:

    ~/.cache/lossboard/data/3f9c…/   ends.int64, ids.uint16 …   raw arrays, memory-mapped; the suffix is the dtype
                                     text.bytes …               bytes that are read when they are used
                                     facts.json                 small values

An entry is written under another name, synced and renamed, so an interrupted process leaves no half entry. A lock per
entry makes other processes wait instead of doing the same work. If the directory cannot be written (read-only, full),
the entry is built in a temporary directory for this process only. A new entry makes room: entries that were not used
for a month are deleted, and the least recently used ones above a total size. Whoever has opened one keeps its files.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from lossboard.errors import DataError, UsageError

Array = npt.NDArray[Any]

# Change this if the content of any entry changes for the same key.
FORMAT = 3
MAX_UNUSED_SECS = 30 * 24 * 3600
DEFAULT_MAX_GB = 20.0
BYTES_SUFFIX = ".bytes"


def cache_dir() -> Path:
    """Returns the directory of the entries: in LOSSBOARD_CACHE_DIR, or in the user's cache directory."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("LOSSBOARD_CACHE_DIR") or Path(home) / "lossboard") / "data"


def max_cache_bytes() -> int:
    """Returns the size that all entries may have together: LOSSBOARD_CACHE_MAX_GB, 20 GB by default."""
    text = os.environ.get("LOSSBOARD_CACHE_MAX_GB") or str(DEFAULT_MAX_GB)
    try:
        size = float(text)
    except ValueError:
        size = -1
    if not 0 <= size < math.inf:
        raise UsageError(f"LOSSBOARD_CACHE_MAX_GB is {text!r}. It must be a number of gigabytes, such as 20 or 0.5.")
    return int(size * 1e9)


def cache_key(*parts: Any) -> str:
    return hashlib.sha256(json.dumps([FORMAT, *parts]).encode()).hexdigest()[:32]


def file_digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


class StoredBytes:
    """A file of bytes. Those that were read do not stay in memory, unlike those of a mapped file."""

    def __init__(self, file: Path) -> None:
        self._descriptor = os.open(file, os.O_RDONLY)
        weakref.finalize(self, os.close, self._descriptor)

    def read(self, start: int, stop: int) -> bytes:
        return os.pread(self._descriptor, stop - start, start)


class Entry:
    """The content of one entry. All files are opened at once, so they may be deleted while in use."""

    def __init__(self, folder: Path) -> None:
        self.facts: dict[str, Any] = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
        files = [file for file in folder.iterdir() if file.name != "facts.json"]
        self.bytes = {file.stem: StoredBytes(file) for file in files if file.suffix == BYTES_SUFFIX}
        self.arrays = {file.stem: _mapped(file) for file in files if file.suffix != BYTES_SUFFIX}


def _mapped(file: Path) -> Array:
    dtype = np.dtype(file.suffix[1:])
    # An empty file cannot be mapped.
    return np.asarray(np.memmap(file, dtype, mode="r")) if file.stat().st_size else np.empty(0, dtype)


class _CannotWrite(Exception):
    """The cache cannot be written. Not an OSError, which the data that is being read can raise too."""


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _CannotWrite(error.strerror or str(error)) from error


class EntryWriter:
    """Appends to the files of an entry."""

    def __init__(self, folder: Path) -> None:
        self.facts: dict[str, Any] = {}
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}

    def append(self, name: str, values: Array) -> None:
        """Appends to an array. All parts of an array have the same dtype."""
        self._append(f"{name}.{values.dtype.name}", values.tobytes())

    def append_bytes(self, name: str, data: bytes) -> None:
        self._append(f"{name}{BYTES_SUFFIX}", data)

    def _append(self, file_name: str, data: bytes) -> None:
        with _writing():
            if file_name not in self._files:
                self._files[file_name] = (self._folder / file_name).open("wb")
            self._files[file_name].write(data)

    def finish(self) -> None:
        with _writing():
            for file in self._files.values():
                file.flush()
                os.fsync(file.fileno())
            (self._folder / "facts.json").write_text(json.dumps(self.facts), encoding="utf-8")

    def close(self) -> None:
        for file in self._files.values():
            file.close()


Build = Callable[[EntryWriter], None]


def cached(key: str, build: Build) -> Entry:
    """Returns the entry of this key. Builds it if it is missing."""
    try:
        return _open_or_build(cache_dir(), key, build)
    except _CannotWrite as error:
        print(
            f"Note: cannot write to the cache in {cache_dir()}: {error}. The data is prepared for this process only. "
            "Set LOSSBOARD_CACHE_DIR to another directory to keep it.",
            file=sys.stderr,
        )
    with tempfile.TemporaryDirectory(prefix="lossboard-") as folder:
        try:
            return _open_or_build(Path(folder), key, build)
        except _CannotWrite as error:
            raise DataError(
                f"No space for the prepared data: cannot write to {cache_dir()} or {folder}: {error}. "
                "Set LOSSBOARD_CACHE_DIR to a directory on a disk with more space."
            ) from error


def _open_or_build(root: Path, key: str, build: Build) -> Entry:
    folder = root / key
    max_bytes = max_cache_bytes()
    while (entry := _open(folder)) is None:
        with _writing():
            root.mkdir(parents=True, exist_ok=True)
            lock = (root / f"{key}.lock").open("w")
        with lock:
            with _writing():
                fcntl.flock(lock, fcntl.LOCK_EX)
            if not folder.exists():
                _build(folder, build)
                _delete_unused(root, max_bytes, newest=folder)
    return entry


def _open(folder: Path) -> Entry | None:
    """Returns the entry, and marks it as used. None if there is none."""
    try:
        os.utime(folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:  # a cache that this user may only read
        pass
    try:
        return Entry(folder)
    except FileNotFoundError:  # another process has just deleted it
        return None


def _build(folder: Path, build: Build) -> None:
    part = folder.with_name(f".{folder.name}.part")
    with _writing():
        shutil.rmtree(part, ignore_errors=True)  # from an interrupted process: this one holds the lock
        part.mkdir()
    writer = EntryWriter(part)
    try:
        build(writer)
        writer.finish()
        with _writing():
            part.rename(folder)
    finally:
        writer.close()
        shutil.rmtree(part, ignore_errors=True)


def _delete_unused(root: Path, max_bytes: int, *, newest: Path) -> None:
    """Deletes entries that were not used for long, and the least recently used ones above the total size."""
    oldest = time.time() - MAX_UNUSED_SECS
    total = _size(newest)
    for path, used in sorted(_entries(root), key=lambda entry: -entry[1]):
        if path == newest:
            continue
        if is_entry := not path.name.startswith("."):  # otherwise a part, which another process may be writing
            total += _size(path)
        if used < oldest or (is_entry and total > max_bytes):
            shutil.rmtree(path, ignore_errors=True)
            path.with_suffix(".lock").unlink(missing_ok=True)


def _entries(root: Path) -> Iterator[tuple[Path, float]]:
    """Yields each entry with the time when it was last used. Other processes may delete entries meanwhile."""
    for path in root.iterdir():
        if path.is_dir():
            with suppress(FileNotFoundError):
                yield path, path.stat().st_mtime


def _size(folder: Path) -> int:
    size = 0
    with suppress(FileNotFoundError):
        size = sum(file.stat().st_size for file in folder.iterdir())
    return size
