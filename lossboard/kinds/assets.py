"""Assets: points in files next to event files, such as projector configs and profiler traces."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

from lossboard.kinds.series import Point, Series

if TYPE_CHECKING:
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class Asset(Point):
    """A point in a file of a run. Its step is 0, and its wall time is when the file was last modified."""

    run: str
    tag: str

    def linked_stamps(self) -> Hashable:
        """Returns a value that changes when one of the files changes that the point names."""
        return ()


A = TypeVar("A", bound=Asset)


def asset_series(run: Run, plugin: str, tag: str) -> Series[Asset]:
    """Returns the points of a tag, in the order of their file names."""
    points = cast("tuple[Asset, ...]", run.asset_points(plugin, tag))
    return Series(
        np.array([point.step for point in points], np.int64),
        np.array([point.wall_time for point in points], np.float64),
        np.zeros(len(points), bool),
        lambda index, *_: points[index],
    )


def find_assets(logdir: Logdir, plugin: str, type: type[A]) -> Iterator[A]:
    """Returns the assets of one kind in all runs."""
    for run in logdir.runs.values():
        for (stored, _), series in run.assets.series.items():
            if stored == plugin:
                yield from (point for point in series.points if isinstance(point, type))
