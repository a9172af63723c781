"""A logdir as lines of JSON: every point of every kind, one object a line. docs/export.md has the fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from lossboard.kinds.json_numbers import number

if TYPE_CHECKING:
    from lossboard.kinds.registry import Kind
    from lossboard.select.series import SeriesSelection
    from lossboard.store.logdir import Logdir
    from lossboard.store.run import Run

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class JsonlExporter:
    """Makes the lines, and counts the points that had to be left out because their content could not be decoded."""

    def __init__(self, selection: SeriesSelection) -> None:
        self._selection = selection
        self.skipped = 0

    def of_run(self, run: Run) -> Iterator[str]:
        """What the run's event files hold."""
        for kind, tag in self._selection.series(run):
            head = _head(run.name, tag, kind)
            encoded = kind.encoded or partial(self._encoded, kind)
            for rest in encoded(run, tag, attempts=self._selection.attempts):
                yield f"{head},{rest}}}\n"

    def beside(self, logdir: Logdir) -> Iterator[str]:
        """What lies beside the event files."""
        for kind, found in self._selection.beside(logdir):
            yield f"{_head(found.run, found.tag, kind)},{_rest(kind, found)}}}\n"

    def _encoded(self, kind: Kind, run: Run, tag: str, *, attempts: bool) -> Iterator[str]:
        assert kind.series is not None  # a kind in event files has series
        points = kind.series(run, tag, attempts=attempts)
        for point in points:
            yield _rest(kind, point)
        self.skipped += points.skipped


def _head(run: str, tag: str, kind: Kind) -> str:
    return _encode({"run": run, "tag": tag, "kind": kind.name})[:-1]


def _rest(kind: Kind, point: Any) -> str:
    assert kind.fields is not None  # a kind has `encoded` or `fields`
    when = {"step": point.step, "wall_time": number(point.wall_time)}
    hidden = {"hidden": True} if point.hidden else {}
    return _encode({**when, **kind.fields(point), **hidden})[1:-1]
