"""A logdir as lines of JSON: every point of every kind, one object a line. docs/export.md has the fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lossboard.kinds.numbers import number

if TYPE_CHECKING:
    from lossboard.export.select import Selection
    from lossboard.kinds.registry import Kind
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class Lines:
    """Makes the lines, and counts the points that had to be left out because their content could not be decoded."""

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self.skipped = 0

    def of_run(self, run: Run) -> Iterator[str]:
        """What the run's event files hold."""
        for kind, tag in self._selection.series(run):
            assert kind.series is not None  # only kinds in event files have series
            points = kind.series(run, tag, attempts=self._selection.attempts)
            head = {"run": run.name, "tag": tag, "kind": kind.name}
            for point in points:
                yield _line(head, kind, point)
            self.skipped += points.skipped

    def beside(self, logdir: Logdir) -> Iterator[str]:
        """What lies beside the event files."""
        for kind, found in self._selection.beside(logdir):
            yield _line({"run": found.run, "tag": found.tag, "kind": kind.name}, kind, found)


def _line(head: dict[str, str], kind: Kind, point: Any) -> str:
    when = {"step": point.step, "wall_time": number(point.wall_time)}
    hidden = {"hidden": True} if point.hidden else {}
    return _encode({**head, **when, **kind.fields(point), **hidden}) + "\n"
