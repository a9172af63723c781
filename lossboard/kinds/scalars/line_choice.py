"""Choice of the lines that a crowded chart draws in color. It draws the others as a density.

A chart draws at most `max_lines` lines. Runs get their places in this order:

1. the requested runs: the one under the pointer, and those that the user has named, colored, tagged or noted,
2. runs that are still logging: not finished, and not more than a minute behind the newest point,
3. runs at least a tenth as long as the longest. They take turns: the longest, the last one to log, the one with the
   lowest and the one with the highest final value. The best run is one of these, whether lower or higher is better,
4. the others, which are usually short tests: the longest first.

Earlier attempts of a run only get the places that current lines leave free.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_ACTIVE_SECS = 60
_MIN_LENGTH_SHARE = 0.1

Indexes = NDArray[np.intp]


class Candidate(NamedTuple):
    """What the choice depends on, for one line."""

    run: str
    steps: int
    """Number of steps from the first to the last point."""
    last_wall: float
    final_value: float
    is_finished: bool


def choose_lines(candidates: Sequence[Candidate], *, requested: Sequence[str], max_lines: int) -> set[int]:
    """Returns the indexes of at most `max_lines` candidates. The lines of a run stay together."""
    lines: dict[str, list[int]] = {}
    for i, candidate in enumerate(candidates):
        lines.setdefault(candidate.run, []).append(i)
    runs = [candidates[own[0]] for own in lines.values()]
    by_run = list(lines.values())
    ranked = islice(_unique(_rank(runs, requested, max_lines)), max_lines)
    return set([i for run in ranked for i in by_run[run]][:max_lines])


def _rank(runs: Sequence[Candidate], requested: Sequence[str], count: int) -> Iterator[int]:
    """Yields the indexes of the most interesting `count` runs first, some repeatedly. A run is represented by its
    first line."""
    if requested:
        by_name = {run.run: i for i, run in enumerate(runs)}
        yield from (by_name[name] for name in requested if name in by_name)
    newest_first = runs[::-1]  # the board's order is by start, and of equal runs the newest is first here
    steps, walls, values, finished = (np.array([one[i] for one in newest_first], np.float64) for i in range(1, 5))
    columns = (steps, walls, values)

    def indexes(found: Iterable[int]) -> Iterator[int]:
        return (len(runs) - 1 - i for i in found)

    is_active = (finished == 0) & (walls >= np.max(walls, initial=0.0) - _ACTIVE_SECS)
    yield from indexes(_take_turns(np.flatnonzero(is_active), columns, count))
    is_long = steps >= np.max(steps, initial=0.0) * _MIN_LENGTH_SHARE
    yield from indexes(_take_turns(np.flatnonzero(is_long), columns, count))
    yield from indexes(_largest(np.arange(len(steps)), steps, count).tolist())


def _take_turns(among: Indexes, columns: Sequence[NDArray[np.float64]], count: int) -> Iterator[int]:
    steps, walls, values = columns
    finite = among[np.isfinite(values[among])]
    turns = zip_longest(
        _largest(among, steps, count).tolist(),
        _largest(among, walls, count).tolist(),
        _largest(finite, -values, count).tolist(),
        _largest(finite, values, count).tolist(),
    )
    return (i for turn in turns for i in turn if i is not None)


def _largest(among: Indexes, values: NDArray[np.float64], count: int) -> Indexes:
    """Returns the indexes of the largest values, of equal ones the first."""
    return among[np.argsort(-values[among], kind="stable")[:count]]


def _unique(indexes: Iterable[int]) -> Iterator[int]:
    seen: set[int] = set()
    for i in indexes:
        if i not in seen:
            seen.add(i)
            yield i
