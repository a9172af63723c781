"""Profiler traces that lie beside the logs: found and listed, not read.

<worker>.<nanoseconds>.pt.trace.json[.gz]     torch.profiler with tensorboard_trace_handler
plugins/profile/<date>/<host>.xplane.pb       TensorFlow and JAX
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lossboard.kinds.assets import Asset, Folder, folders

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir

_TRACE = re.compile(r"(?P<worker>.*?)(?:\.\d+)?\.pt\.trace\.json(?:\.gz)?|(?P<host>.*)\.xplane\.pb")
_ASSETS = re.compile(r"(?:^|/)plugins/profile/[^/]+$")


@dataclass(frozen=True, slots=True)
class Trace(Asset):
    """A trace file; `tag` is its name."""

    worker: str
    format: str
    size_bytes: int
    path: Path
    root: Path


def traces(logdir: Logdir) -> Iterator[Trace]:
    """Every trace of a logdir."""
    for folder in folders(logdir):
        yield from traces_in(folder)


def traces_in(folder: Folder) -> Iterator[Trace]:
    for name in folder.files:
        match = _TRACE.fullmatch(name)
        if match and (trace := _trace(folder, name, match)) is not None:
            yield trace


def _trace(folder: Folder, name: str, match: re.Match[str]) -> Trace | None:
    try:
        status = (folder.path / name).stat()
    except OSError:  # it went away
        return None
    torch = match["host"] is None
    return Trace(
        step=0,
        wall_time=status.st_mtime,
        hidden=False,
        run=folder.run if torch else _ASSETS.sub("", folder.run) or ".",
        tag=name,
        worker=match["worker"] if torch else match["host"],
        format="torch" if torch else "xplane",
        size_bytes=status.st_size,
        path=folder.path / name,
        root=folder.root,
    )
