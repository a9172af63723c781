"""Which runs and tags are wanted, and walking them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lossboard.errors import UsageError
from lossboard.kinds import kind_of, kinds
from lossboard.kinds.assets import find_assets

if TYPE_CHECKING:
    from lossboard.kinds.assets import Asset
    from lossboard.kinds.registry import Kind
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run


@dataclass(frozen=True, slots=True)
class Selection:
    """Runs and tags in which the patterns are found anywhere; hidden points only on request."""

    runs: re.Pattern[str]
    tags: re.Pattern[str]
    attempts: bool = False

    @classmethod
    def of(cls, runs: str = "", tags: str = "", *, attempts: bool = False) -> Selection:
        return cls(_pattern("--runs", runs), _pattern("--tags", tags), attempts)

    def wanted_runs(self, logdir: Logdir) -> list[Run]:
        return [run for name, run in logdir.runs.items() if self.runs.search(name)]

    def series(self, run: Run) -> Iterator[tuple[Kind, str]]:
        """The wanted (kind, tag) of a run, kinds in their order, each kind's tags in theirs."""
        tags: dict[str, list[str]] = {}
        for plugin, tag in run.series():
            tags.setdefault(kind_of(plugin).name, []).append(tag)
        for name, stored in tags.items():
            kind = kinds()[name]
            for tag in kind.tags(run) if kind.tags else dict.fromkeys(stored):
                if self.tags.search(tag):
                    yield kind, tag

    def beside(self, logdir: Logdir) -> Iterator[tuple[Kind, Asset]]:
        """What is wanted of the things that lie beside event files."""
        for kind, found in find_assets(logdir):
            if self.runs.search(found.run) and self.tags.search(found.tag):
                yield kind, found


def _pattern(option: str, pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except re.error as error:
        raise UsageError(f"{option} {pattern!r} is no regular expression: {error}") from None
