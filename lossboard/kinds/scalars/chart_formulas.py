"""Formulas of a chart: which runs have them, their points, and why there are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from lossboard.kinds.cancellation import check_cancelled
from lossboard.series_math.formulas.evaluate import evaluate
from lossboard.series_math.formulas.parser import parse
from lossboard.series_math.formulas.tree import Tag, tags_of
from lossboard.series_math.points import PLUGIN, Points
from lossboard.syntax.errors import QueryError, QueryProblem
from lossboard.syntax.suggest import nearest

if TYPE_CHECKING:
    from lossboard.series_math.formulas.tree import Node
    from lossboard.store.run import Key, Run, SeriesInfo

Runs: TypeAlias = "Sequence[tuple[Run, Mapping[Key, SeriesInfo]]]"
"""Runs in the order of the board, each with its series."""

MARK = "="
"""Starts the name of a formula where the names of tags stand, too."""
_MAX_KNOWN = 20_000
"""A misspelled tag is looked for among this many tags."""


@dataclass(frozen=True)
class ChartFormula:
    text: str
    node: Node | None
    problem: QueryError | None
    """Why it cannot be parsed."""

    @classmethod
    def of(cls, text: str) -> ChartFormula:
        try:
            return cls(text, parse(text), None)
        except QueryError as error:
            return cls(text, None, error)

    @property
    def name(self) -> str:
        return MARK + self.text

    @property
    def tags(self) -> list[Tag]:
        """The tags that it reads, each once, where it first does."""
        found = tags_of(self.node) if self.node else ()
        return list({tag.name: tag for tag in reversed(list(found))}.values())[::-1]

    def info(self, series: Mapping[Key, SeriesInfo]) -> SeriesInfo | None:
        """Returns the shortest series that it reads, or None if the run lacks one."""
        infos = []
        for tag in self.tags:
            if (info := series.get((PLUGIN, tag.name))) is None or not info.count:
                return None
            infos.append(info)
        return min(infos, key=lambda info: info.count, default=None)

    def points(self, run: Run) -> Points:
        """Returns its points in a run. Raises LookupError if the run lacks a tag."""

        def points_of(tag: str) -> Points:
            check_cancelled()
            return Points.of(run, tag)

        if self.node is None:
            raise LookupError(self.name)
        return evaluate(self.node, points_of)


def find_problem(formula: ChartFormula, runs: Runs) -> QueryProblem | None:
    """Returns why no selected run has points of a formula. Call it only if none has."""
    if formula.problem is not None:
        return formula.problem.document()
    if not runs:
        return None
    for tag in formula.tags:
        check_cancelled()
        if not any((PLUGIN, tag.name) in series for _, series in runs):
            return _unknown_tag(formula.text, tag, runs).document()
    names = ", ".join(tag.name for tag in formula.tags)
    message = f"No selected run has common steps of all tags of this formula: {names}."
    return QueryError(message, 0, len(formula.text)).document()


def _unknown_tag(formula: str, tag: Tag, runs: Runs) -> QueryError:
    known = list(dict.fromkeys(islice(_known_tags(runs), _MAX_KNOWN)))
    start, end = tag.place.start, tag.place.end
    # `train/loss` without backticks is read as a division.
    longer = (one for one in known if len(one) > end - start and formula.startswith(one, start))
    if spelled := max(longer, key=len, default=""):
        message = f"No selected run has the tag {tag.name}. Names with a slash, a dash or a space stand in backticks."
        return QueryError(message, start, start + len(spelled), suggestion=f"`{spelled}`")
    message = f"No selected run has the tag {tag.name}."
    short = [one for one in known if one.endswith(f"/{tag.name}")]
    similar = short[:3] or [nearest(tag.name, known)]
    return QueryError(message, start, end, suggestion=[f"`{one}`" for one in similar if one])


def _known_tags(runs: Runs) -> Iterator[str]:
    for _, series in runs:
        check_cancelled()
        yield from (tag for plugin, tag in series if plugin == PLUGIN)
