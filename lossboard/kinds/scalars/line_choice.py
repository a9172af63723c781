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

import math
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest, nsmallest
from itertools import islice, zip_longest
from operator import attrgetter
from typing import NamedTuple

_ACTIVE_SECS = 60
_MIN_LENGTH_SHARE = 0.1

_length = attrgetter("steps")
_last_wall = attrgetter("last_wall")
_final_value = attrgetter("final_value")


class Candidate(NamedTuple):
    """What the choice depends on, for one line."""

    run: str
    steps: int
    """Number of steps from the first to the last point."""
    last_wall: float
    final_value: float
    is_finished: bool
    is_attempt: bool = False


def choose_lines(candidates: Sequence[Candidate], *, requested: Sequence[str], max_lines: int) -> set[int]:
    """Returns the indexes of at most `max_lines` candidates."""
    current: dict[str, list[int]] = {}
    attempts = []
    for i, candidate in enumerate(candidates):
        if candidate.is_attempt:
            attempts.append(i)
        else:
            current.setdefault(candidate.run, []).append(i)
    runs = {run: candidates[own[0]] for run, own in current.items()}
    ranked = islice(_unique(_rank(runs, requested, max_lines)), max_lines)
    lines = [i for run in ranked for i in current[run]]
    return set((lines + attempts[::-1])[:max_lines])


def _rank(runs: dict[str, Candidate], requested: Sequence[str], count: int) -> Iterator[str]:
    """Yields the most interesting `count` runs first, some repeatedly. A run is represented by its first line."""
    yield from (run for run in requested if run in runs)
    all_runs = list(runs.values())[::-1]  # the board's order is by start, and of equal runs the newest is first here
    newest = max(map(_last_wall, all_runs), default=0.0)
    yield from _take_turns([run for run in all_runs if _is_active(run, newest)], count)
    min_steps = max(map(_length, all_runs), default=0) * _MIN_LENGTH_SHARE
    yield from _take_turns([run for run in all_runs if run.steps >= min_steps], count)
    yield from (run.run for run in nlargest(count, all_runs, key=_length))


def _is_active(run: Candidate, newest: float) -> bool:
    return not run.is_finished and run.last_wall >= newest - _ACTIVE_SECS


def _take_turns(runs: Sequence[Candidate], count: int) -> Iterator[str]:
    finite = [run for run in runs if math.isfinite(run.final_value)]
    turns = zip_longest(
        nlargest(count, runs, key=_length),
        nlargest(count, runs, key=_last_wall),
        nsmallest(count, finite, key=_final_value),
        nlargest(count, finite, key=_final_value),
    )
    return (run.run for turn in turns for run in turn if run is not None)


def _unique(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name not in seen:
            seen.add(name)
            yield name
