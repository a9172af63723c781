"""Atomic writing: a file is replaced completely or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lossboard.errors import UsageError


@contextmanager
def atomic_write(target: Path) -> Iterator[Path]:
    """Yields a temporary file in the directory of `target`. At the end it replaces `target`. Errors remove it."""
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise UsageError(f"Cannot write {target}: {error.strerror}") from None
    draft = Path(name)
    try:
        os.fchmod(descriptor, 0o666 & ~_umask())
        os.close(descriptor)
        yield draft
        draft.replace(target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
