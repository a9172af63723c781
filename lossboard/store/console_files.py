"""Console output in the folder of a run: which files have it, and the end of one of them.

Logs hold what a terminal would have shown: colors, and progress bars that overwrite their line. `readable` removes the
former and keeps the last state of the latter.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from lossboard.errors import DecodeError
from lossboard.safe_files import SafeFolder
from lossboard.safe_paths import resolve_within

_NAMES = re.compile(
    r"console\.(log|txt)|(std)?out(put)?\.(log|txt)|(train|training|run|main|debug|log)\.(log|txt)|nohup\.out"
    r"|slurm[-_].*\.(out|err)|.*\.(out|err|log)|std(out|err)(\.(log|txt))?",
    re.IGNORECASE,
)
_FIRST = re.compile(r"console|std_?out|out|train", re.IGNORECASE)
_WORKERS = "workers"
_MAX_FILES = 50
_MAX_SCANNED = 20_000
_CHUNK_BYTES = 1 << 20
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True)
class ConsoleTail:
    """The last lines of a console file."""

    bytes: int
    """Size of the file."""
    text: str
    is_cut: bool
    """Whether the file has lines before these."""


def console_files(folder: Path) -> list[str]:
    """Returns the names of the files with console output, the most likely one first. Those of the other workers of the
    fine-tuning kit are in `workers/`."""
    names = [name for name in _names(folder) if _NAMES.fullmatch(name)]
    names.sort(key=lambda name: (not _FIRST.match(name), name))
    names += [f"{_WORKERS}/{name}" for name in _names(folder / _WORKERS) if name.endswith(".log")]
    return names[:_MAX_FILES]


def read_tail(folder: Path, name: str, *, root: Path, max_bytes: int) -> ConsoleTail:
    """Returns the end of a file that `console_files` lists. Raises LookupError if it is not one of them, or cannot be
    read safely: a link out of the logdir, a FIFO, a device."""
    size = _read(folder, name, 0, 0, root=root)[1]
    tail, size = _read(folder, name, max(0, size - max_bytes), max_bytes, root=root)
    is_cut = size > len(tail)
    if is_cut:
        tail = tail[tail.find(b"\n") + 1 :]  # from the start of a line
    return ConsoleTail(size, readable(tail.decode("utf-8", "replace")), is_cut)


def read_chunks(folder: Path, name: str, *, root: Path) -> Iterator[bytes]:
    """Returns a file that `console_files` lists in pieces, as it is. Raises LookupError as `read_tail` does."""
    size = _read(folder, name, 0, 0, root=root)[1]
    starts = range(0, size, _CHUNK_BYTES)
    return (_read(folder, name, start, min(_CHUNK_BYTES, size - start), root=root)[0] for start in starts)


def _read(folder: Path, name: str, start: int, max_bytes: int, *, root: Path) -> tuple[bytes, int]:
    """Returns a part of a console file, and the size of the file."""
    if name not in console_files(folder):
        raise LookupError(f"The run has no console file {name!r}.")
    try:
        real = resolve_within(name, base=folder, root=root)
        with SafeFolder.open(real.parent) as parent:
            return parent.read_part(real.name, start=start, max_bytes=max_bytes)
    except (OSError, DecodeError) as error:
        raise LookupError(f"Cannot read {name}: {error}") from error


def readable(text: str) -> str:
    """Returns console output as a terminal would show it in the end."""
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROLS.sub("", _ESCAPES.sub("", "\n".join(lines)))


def _names(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            found = islice(entries, _MAX_SCANNED)
            yield from sorted(entry.name for entry in found if not entry.is_dir(follow_symlinks=False))
    except OSError:  # removed, not readable, or without workers
        return
