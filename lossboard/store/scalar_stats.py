"""Statistics of a scalar tag over many runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lossboard import _core

if TYPE_CHECKING:
    from lossboard.store.run import Run

ScalarStats = _core.ScalarStats


def update_stats(stats: ScalarStats, runs: Iterable[Run]) -> ScalarStats:
    """Brings statistics up to date with these runs, a row for each. Reads only the points that are new."""
    stats.update([run._native for run in runs])
    return stats
