"""Profiler traces next to event files. They are listed, and their content is not read.

<worker>.<nanoseconds>.pt.trace.json[.gz]     torch.profiler with tensorboard_trace_handler
plugins/profile/<date>/<host>.xplane.pb       TensorFlow and JAX
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lossboard.kinds.assets import Asset, find_assets
from lossboard.store.assets import PLUGIN_PREFIX

if TYPE_CHECKING:
    from lossboard.store.assets import AssetFile
    from lossboard.store.logdir import Logdir

PLUGIN = PLUGIN_PREFIX + "profiles"
SUFFIXES = (".pt.trace.json", ".pt.trace.json.gz", ".xplane.pb")
_WORKER = re.compile(r"(?P<worker>.*?)(?:\.\d+)?\.pt\.trace\.json(?:\.gz)?")


@dataclass(frozen=True, slots=True)
class Trace(Asset):
    """A trace file; `tag` is its name."""

    worker: str
    format: str
    size_bytes: int
    path: Path
    root: Path


def traces(logdir: Logdir) -> Iterator[Trace]:
    """Returns every trace of a logdir."""
    return find_assets(logdir, PLUGIN, Trace)


def read_trace(file: AssetFile) -> list[Trace]:
    name = file.path.name
    torch = _WORKER.fullmatch(name)
    trace = Trace(
        step=0,
        wall_time=file.wall_time,
        hidden=False,
        run=file.run,
        tag=name,
        worker=torch["worker"] if torch else name.removesuffix(".xplane.pb"),
        format="torch" if torch else "xplane",
        size_bytes=file.size_bytes,
        path=file.path,
        root=file.root,
    )
    return [trace]
