"""The only way to open a path that logged data names: the file must be inside its folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from lossboard.errors import DecodeError

_MAX_HOLE_BYTES = 64 << 20


def resolve_within(path: str, *, base: Path, root: Path) -> Path:
    """Returns the regular file that `path` names, relative to `base`. Raises DecodeError if the file, with all links
    resolved, is outside of `root`."""
    try:
        real = (base / path).resolve(strict=True)
        inside = real.is_relative_to(root.resolve(strict=True)) and real.is_file()
    except (OSError, ValueError, RuntimeError):  # missing, a name with a NUL, a loop of links
        inside = False
    if not inside:
        raise DecodeError(f"No file {path!r} within the logdir")
    return real


@contextmanager
def open_within(path: str, *, base: Path, root: Path) -> Iterator[BinaryIO]:
    """Opens the file that `path` names, with the same rules, also if it is replaced by a link or FIFO meanwhile."""
    real = resolve_within(path, base=base, root=root)
    with os.fdopen(_open_resolved(real, root.resolve()), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise DecodeError(f"{path!r} is not a regular file")
        yield file


def refuse_large_hole(file: BinaryIO) -> None:
    """Raises DecodeError for a sparse file that takes no space on disk, but would fill the memory if it was read."""
    descriptor = file.fileno()
    if os.fstat(descriptor).st_size - _data_bytes(descriptor) > _MAX_HOLE_BYTES:
        raise DecodeError("The file is sparse: most of it has never been written.")


def _data_bytes(descriptor: int) -> int:
    """Returns how many bytes of a file are not in holes."""
    position = found = 0
    with suppress(OSError):  # there is no data behind the position
        while True:
            start = os.lseek(descriptor, position, os.SEEK_DATA)
            position = os.lseek(descriptor, start, os.SEEK_HOLE)
            found += position - start
    os.lseek(descriptor, 0, os.SEEK_SET)
    return found


def _open_resolved(path: Path, root: Path) -> int:
    """Returns a descriptor of a file whose path below `root` has no links. Opening it never waits."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    *folders, name = path.relative_to(root).parts
    folder = os.open(root, flags | os.O_DIRECTORY)
    for part in folders:
        try:
            inner = os.open(part, flags | os.O_DIRECTORY, dir_fd=folder)
        finally:
            os.close(folder)
        folder = inner
    try:
        return os.open(name, flags, dir_fd=folder)
    finally:
        os.close(folder)
