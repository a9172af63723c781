"""Series: the points of one tag in one run, decoded one at a time on access. Every `decode.py` returns one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError, LogdirError
from lossboard.kinds.cancellation import check_cancelled
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import References, Run


@dataclass(frozen=True, slots=True)
class Point:
    """Fields of every point. `hidden` is true if a restart superseded it."""

    step: int
    wall_time: float
    hidden: bool


P = TypeVar("P", bound=Point)
P_co = TypeVar("P_co", bound=Point, covariant=True)
Parse: TypeAlias = Callable[[bytes, int, float, bool], P]
"""(payload, step, wall time, hidden) → point. Raises DecodeError."""


class Series(Generic[P_co]):
    """Points by index, decoded on access. An index raises DecodeError if the point cannot be decoded.

    Iteration skips such points and counts them in `skipped`.
    """

    def __init__(
        self,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        hidden: npt.NDArray[np.bool_],
        load: Callable[[int, int, float, bool], P_co],
    ) -> None:
        self.steps = steps
        self.wall_times = wall_times
        self.hidden = hidden
        self.skipped = 0
        self._load = load

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: int) -> P_co:
        check_cancelled()
        index = range(len(self))[index]
        return self._load(index, int(self.steps[index]), float(self.wall_times[index]), bool(self.hidden[index]))

    def __iter__(self) -> Iterator[P_co]:
        self.skipped = 0
        for index in range(len(self)):
            try:
                point = self[index]
            except (DecodeError, LogdirError):  # it cannot be decoded, or its file was removed
                self.skipped += 1
                continue
            yield point

    def between(self, steps: tuple[float, float] | None) -> Series[P_co]:
        """Returns the points from the first to the last of two steps, or all points."""
        if steps is None:
            return self
        return self._select(np.flatnonzero((self.steps >= steps[0]) & (self.steps <= steps[1])))

    def evenly(self, count: int) -> Series[P_co]:
        """Returns at most that many points, evenly chosen, with the first and the last."""
        if len(self) <= count:
            return self
        return self._select(np.linspace(0, len(self) - 1, count).round().astype(np.int64))

    def _select(self, chosen: npt.NDArray[np.int64]) -> Series[P_co]:
        def load(index: int, step: int, wall_time: float, hidden: bool) -> P_co:
            return self._load(int(chosen[index]), step, wall_time, hidden)

        return Series(self.steps[chosen], self.wall_times[chosen], self.hidden[chosen], load)

    def at(self, step: int) -> P_co:
        """Returns the visible point at exactly this step."""
        found = np.flatnonzero((self.steps == step) & ~self.hidden)
        if not len(found):
            raise LookupError(f"No point at step {step}.")
        return self[int(found[-1])]


def series_of(
    run: Run, plugin: str, tag: str, parse: Parse[P], *, attempts: bool, max_bytes: int = NO_LIMIT
) -> Series[P]:
    """Returns a series that is stored by reference. With `attempts`, it includes superseded points, in file order.

    Points larger than `max_bytes` raise an error on access.
    """
    source, hidden = references_of(run, plugin, tag, attempts=attempts)

    def load(index: int, step: int, wall_time: float, hidden: bool) -> P:
        return parse(source.read(index, max_bytes), step, wall_time, hidden)

    return Series(source.steps, source.wall_times, hidden, load)


def references_of(run: Run, plugin: str, tag: str, *, attempts: bool) -> tuple[References, npt.NDArray[np.bool_]]:
    """Returns the references of a series, and which of its points are superseded."""
    if not attempts:
        visible = run.references(plugin, tag)
        return visible, np.zeros(len(visible), bool)
    references = cast("References", run.attempts(plugin, tag))
    return references, references.hidden


def plugin_of(run: Run, plugins: frozenset[str], tag: str) -> str:
    """Returns the plugin, one of those of a kind, under which a run has the tag."""
    found = next((plugin for plugin in sorted(plugins) if run.has(plugin, tag)), None)
    if found is None:
        raise LookupError(f"Run {run.name!r} has no tag {tag!r} of the plugin {' or '.join(sorted(plugins))}.")
    return found
