"""Traps that a stranger can put where the board expects a file of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

Shape = Callable[[Path, Path], object]
"""Makes a trap at a path. The second path is a directory outside of the logdir with a `precious.json`."""


def _sparse(path: Path) -> None:
    with path.open("wb") as out:
        out.truncate(1 << 40)


SHAPES: dict[str, Shape] = {
    "link to a file": lambda path, outside: path.symlink_to(outside / "precious.json"),
    "link to a directory": lambda path, outside: path.symlink_to(outside),
    "dangling link": lambda path, outside: path.symlink_to(outside / "missing"),
    "link to itself": lambda path, outside: path.symlink_to(path.name),
    "link to a device": lambda path, outside: path.symlink_to("/dev/zero"),
    "FIFO": lambda path, outside: os.mkfifo(path),
    "directory": lambda path, outside: path.mkdir(),
    "full directory": lambda path, outside: (path / "x" / "y").mkdir(parents=True),
    "huge file": lambda path, outside: _sparse(path),
}


def with_contents(contents: Mapping[str, bytes]) -> dict[str, Shape]:
    """Returns a shape for each content."""
    return {name: lambda path, _, content=content: path.write_bytes(content) for name, content in contents.items()}


def put(path: Path, shape: Shape, outside: Path) -> None:
    """Replaces what is at `path`."""
    if path.is_dir():
        path.rename(path.with_name("moved-away"))
    else:
        path.unlink(missing_ok=True)
    shape(path, outside)


def tree(folder: Path) -> dict[str, str]:
    """Returns all files below a directory with their contents."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
