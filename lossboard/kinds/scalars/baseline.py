"""Comparison of every line with the same tag of one run, the baseline: the difference or the ratio, at the line's own
steps within those of the baseline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lossboard.errors import UsageError
from lossboard.series_math.common_steps import at_steps_of

if TYPE_CHECKING:
    from lossboard.series_math.points import Points
    from lossboard.store.run import Key, Run, SeriesInfo

_MODES: Mapping[str, Callable[..., Any]] = {"difference": np.subtract, "ratio": np.divide}


@dataclass(frozen=True)
class Baseline:
    run: Run
    series: Mapping[Key, SeriesInfo]
    mode: str

    @classmethod
    def parse(cls, param: object, find_run: Callable[[str], tuple[Run, Mapping[Key, SeriesInfo]]]) -> Baseline | None:
        """Reads the `baseline` parameter of a request."""
        match param:
            case None:
                return None
            case {"run": str(id), "mode": str(mode)} if mode in _MODES:
                return cls(*find_run(id), mode)
        raise UsageError(f'Expected "baseline" to be {{"run": id, "mode": {" or ".join(_MODES)}}}.')

    @property
    def key(self) -> str:
        """Tells it apart from other baselines in caches."""
        return f"{self.mode} {self.run.id}"

    def compare(self, points: Points, own: Points) -> Points:
        """Returns points compared with those of the baseline, `own`."""
        within, base = at_steps_of(points, own)
        with np.errstate(all="ignore"):
            return replace(within, values=_MODES[self.mode](within.values, base))
