"""The only way to open the files that Lossboard itself keeps in a logdir (sidecar, lock, trash and its manifests), and
console output.

A logdir may come from a stranger, who can put a link, a FIFO, a device, a directory or a huge file at any of these
names. So nothing is opened through a link, opening never waits, only regular files of limited size are read, a file is
written under a new random name and then renamed, and a lock has a timeout.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LOCK_RETRY_SECS = 0.01
_ABANDONED_SECS = 60
"""Age of a draft that its writer must have left behind. Writing one takes milliseconds."""


class UnsafeFile(OSError):
    """A file is not what Lossboard would have created under this name."""


class SafeFolder:
    """An open directory. All names are relative to it, so replacing a parent directory by a link has no effect."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    @classmethod
    @contextmanager
    def open(cls, path: Path) -> Iterator[SafeFolder]:
        """Opens a directory that the user named. It may be a link."""
        with _closing(os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)) as descriptor:
            yield cls(descriptor)

    @contextmanager
    def open_folder(self, name: str, *, create: bool = False) -> Iterator[SafeFolder]:
        """Opens a directory in this one. With `create`, a missing one is made, for the user only."""
        if create:
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=self.descriptor)
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | _FLAGS, dir_fd=self.descriptor)
        except NotADirectoryError as error:  # Linux reports this for a link, too
            raise UnsafeFile(errno.ENOTDIR, f"{name} is not a directory") from error
        except OSError as error:
            raise _as_unsafe(error, name) from error
        with _closing(descriptor):
            yield SafeFolder(descriptor)

    def mode(self, name: str) -> int | None:
        """Returns the type and permissions of a name, without following a link. None if it does not exist."""
        try:
            return os.stat(name, dir_fd=self.descriptor, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return None

    def stamp(self, name: str) -> tuple[int, ...] | None:
        """Returns a value that changes with the file. None if it does not exist."""
        try:
            status = os.stat(name, dir_fd=self.descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino

    def read(self, name: str, *, max_bytes: int) -> bytes:
        """Returns the content of a regular file. Raises UnsafeFile for anything else, and for a larger file."""
        with self._opened(name, os.O_RDONLY) as descriptor, os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise UnsafeFile(errno.EFBIG, f"{name} is larger than {max_bytes >> 20} MB")
        return content

    def read_part(self, name: str, *, start: int, max_bytes: int) -> tuple[bytes, int]:
        """Returns a part of a regular file, and the size of the file. Raises UnsafeFile for anything else."""
        with self._opened(name, os.O_RDONLY) as descriptor:
            return os.pread(descriptor, max_bytes, start), os.fstat(descriptor).st_size

    def replace(self, name: str, content: bytes) -> None:
        """Writes a file completely or not at all. Whatever had the name is replaced, never written through."""
        draft = f"{name}.{secrets.token_hex(8)}.tmp"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o666, dir_fd=self.descriptor)
        try:
            with os.fdopen(descriptor, "wb") as out:
                out.write(content)
                out.flush()
                os.fsync(out.fileno())
            os.rename(draft, name, src_dir_fd=self.descriptor, dst_dir_fd=self.descriptor)
        except BaseException:
            os.unlink(draft, dir_fd=self.descriptor)
            raise

    def remove_abandoned_drafts(self, name: str) -> None:
        """Removes drafts of `replace` that killed processes left."""
        oldest = time.time() - _ABANDONED_SECS
        with os.scandir(self.descriptor) as entries:
            drafts = [entry for entry in entries if entry.name.startswith(f"{name}.") and entry.name.endswith(".tmp")]
            for entry in drafts:
                if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_mtime < oldest:
                    with suppress(FileNotFoundError):  # another board removed it
                        os.unlink(entry.name, dir_fd=self.descriptor)

    @contextmanager
    def lock(self, name: str, *, timeout_secs: float) -> Iterator[None]:
        """Holds a lock file, whose content is never changed. Raises TimeoutError if another process keeps it."""
        with self._opened(name, os.O_RDWR | os.O_CREAT) as descriptor:
            _flock(descriptor, name, timeout_secs)
            yield

    @contextmanager
    def _opened(self, name: str, flags: int) -> Iterator[int]:
        try:
            descriptor = os.open(name, flags | _FLAGS, 0o666, dir_fd=self.descriptor)
        except OSError as error:
            raise _as_unsafe(error, name) from error
        with _closing(descriptor):
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UnsafeFile(errno.EINVAL, f"{name} is not a regular file")
            yield descriptor


@contextmanager
def _closing(descriptor: int) -> Iterator[int]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _as_unsafe(error: OSError, name: str) -> OSError:
    """Returns the error of opening a link, socket, FIFO or directory as UnsafeFile, and any other one as it is."""
    if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENODEV):
        return UnsafeFile(error.errno, f"{name} is not a regular file")
    return error


def _flock(descriptor: int, name: str, timeout_secs: float) -> None:
    deadline = time.monotonic() + timeout_secs
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise TimeoutError(errno.ETIMEDOUT, f"another program keeps {name} locked") from None
        time.sleep(_LOCK_RETRY_SECS)
