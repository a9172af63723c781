"""The points of one series, decoded one at a time when they are asked for: what every `decode.py` returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from lossboard.errors import DecodeError, LogdirError
from lossboard.store.run import NO_LIMIT

if TYPE_CHECKING:
    from lossboard.store.run import References, Run


@dataclass(frozen=True, slots=True)
class Point:
    """What every point has: when it was logged, and whether a later attempt of the same training hides it."""

    step: int
    wall_time: float
    hidden: bool


P = TypeVar("P", bound=Point)
Parse: TypeAlias = Callable[[bytes, int, float, bool], P]
"""(payload, step, wall time, hidden) → point; raises DecodeError."""


class Series(Generic[P]):
    """Points by position. Iterating leaves out those whose content cannot be read and counts them in `skipped`;
    asking for one of them raises DecodeError."""

    def __init__(
        self,
        steps: npt.NDArray[np.int64],
        wall_times: npt.NDArray[np.float64],
        hidden: npt.NDArray[np.bool_],
        load: Callable[[int, int, float, bool], P],
    ) -> None:
        self.steps = steps
        self.wall_times = wall_times
        self.hidden = hidden
        self.skipped = 0
        self._load = load

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: int) -> P:
        index = range(len(self))[index]
        return self._load(index, int(self.steps[index]), float(self.wall_times[index]), bool(self.hidden[index]))

    def __iter__(self) -> Iterator[P]:
        self.skipped = 0
        for index in range(len(self)):
            try:
                point = self[index]
            except (DecodeError, LogdirError):  # its content is no such thing, or its file is gone
                self.skipped += 1
                continue
            yield point

    def at(self, step: int) -> P:
        """The visible point at exactly this step."""
        found = np.flatnonzero((self.steps == step) & ~self.hidden)
        if not len(found):
            raise LookupError(f"No point at step {step}")
        return self[int(found[-1])]


def series_of(
    run: Run, plugin: str, tag: str, parse: Parse[P], *, attempts: bool, max_bytes: int = NO_LIMIT
) -> Series[P]:
    """A run's series of a kind that is stored by reference; with `attempts`, hidden points as well, in file order.
    Points larger than `max_bytes` cannot be read."""
    source, hidden = references_of(run, plugin, tag, attempts=attempts)

    def load(index: int, step: int, wall_time: float, hidden: bool) -> P:
        return parse(source.read(index, max_bytes), step, wall_time, hidden)

    return Series(source.steps, source.wall_times, hidden, load)


def references_of(run: Run, plugin: str, tag: str, *, attempts: bool) -> tuple[References, npt.NDArray[np.bool_]]:
    """Where a series' points lie, and which of them are hidden."""
    if not attempts:
        visible = run.references(plugin, tag)
        return visible, np.zeros(len(visible), bool)
    every = cast("References", run.attempts(plugin, tag))
    return every, every.hidden


def plugin_of(run: Run, plugins: frozenset[str], tag: str) -> str:
    """Under which of a kind's plugins this run has the tag."""
    found = next((plugin for plugin in sorted(plugins) if run.has(plugin, tag)), None)
    if found is None:
        raise LookupError(f"Run {run.name!r} has no {tag!r} of {' or '.join(sorted(plugins))}")
    return found
