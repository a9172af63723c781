"""Series that `--runs` and `--tags` select."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.errors import UsageError
from lossboard.kinds import kinds, visible_tags

if TYPE_CHECKING:
    from lossboard.kinds.registry import Kind
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class SeriesSelection:
    """Runs and tags in which a regular expression is found, and whether superseded points are included."""

    runs: re.Pattern[str]
    tags: re.Pattern[str]
    attempts: bool = False

    @classmethod
    def of(cls, runs: str = "", tags: str = "", *, attempts: bool = False) -> SeriesSelection:
        return cls(_pattern("--runs", runs), _pattern("--tags", tags), attempts)

    def select_runs(self, logdir: Logdir) -> list[Run]:
        return [run for name, run in logdir.runs.items() if self.runs.search(name)]

    def series(self, run: Run) -> Iterator[tuple[Kind, str]]:
        """Yields the selected (kind, tag) of a run, by kind and then by tag."""
        for name, tags in visible_tags(run).items():
            yield from ((kinds()[name], tag) for tag in tags if self.tags.search(tag))


def _pattern(option: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError(f"{option} {pattern!r} is not a valid regular expression: {error}") from None
