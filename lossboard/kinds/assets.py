"""What lies beside event files: the folders of a logdir, by the run name that they have or would have."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lossboard.kinds import kinds
from lossboard.kinds.series import Point

if TYPE_CHECKING:
    from lossboard.kinds.registry import Kind
    from lossboard.store.logdir import Logdir


@dataclass(frozen=True, slots=True)
class Asset(Point):
    """Something found in the folder of a run, under a name of its own. The wall time is when its file last changed."""

    run: str
    tag: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder below `root` with the names of its files; `run` is what TensorBoard would call a run there."""

    root: Path
    name: str
    """Relative to the root; empty for the root itself."""
    run: str
    files: tuple[str, ...]

    @property
    def path(self) -> Path:
        return self.root / self.name


def folders(logdir: Logdir) -> Iterator[Folder]:
    """Every folder of a logdir, links followed, each once."""
    for root in logdir.roots:
        seen: set[tuple[int, int]] = set()
        top = str(root.path)
        _is_new(top, seen)
        # Strings, not Paths: there may be a hundred thousand folders.
        for path, below, files in os.walk(top, followlinks=True):
            below[:] = sorted(name for name in below if _is_new(f"{path}/{name}", seen))
            name = path[len(top) :].strip("/")
            run = "/".join(part for part in (root.name, name) if part) or "."
            yield Folder(root.path, name, run, tuple(sorted(files)))


def find_assets(logdir: Logdir) -> Iterator[tuple[Kind, Asset]]:
    """What the kinds find beside event files, in one walk."""
    finders = [(kind, kind.beside) for kind in kinds().values() if kind.beside is not None]
    for folder in folders(logdir):
        for kind, find in finders:
            yield from ((kind, found) for found in find(folder))


def _is_new(path: str, seen: set[tuple[int, int]]) -> bool:
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:  # it went away, or we may not look
        return False
    place = status.st_dev, status.st_ino
    if place in seen:
        return False
    seen.add(place)
    return True
