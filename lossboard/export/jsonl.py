"""Export as JSONL: every point of every kind, one object per line. docs/export.md describes the fields."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from lossboard.kinds.json_numbers import number
from lossboard.kinds.registry import EventKind

if TYPE_CHECKING:
    from lossboard.kinds.registry import Kind
    from lossboard.select.series import SeriesSelection
    from lossboard.store.run import Run

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class JsonlExporter:
    """Makes the lines. `skipped` counts the points that cannot be decoded."""

    def __init__(self, selection: SeriesSelection) -> None:
        self._selection = selection
        self.skipped = 0

    def of_run(self, run: Run) -> Iterator[str]:
        """Yields the lines of the selected series of a run."""
        for kind, tag in self._selection.series(run):
            head = _head(run.name, tag, kind)
            encoded = (isinstance(kind, EventKind) and kind.encoded) or partial(self._encoded, kind)
            for rest in encoded(run, tag, attempts=self._selection.attempts):
                yield f"{head},{rest}}}\n"

    def _encoded(self, kind: Kind, run: Run, tag: str, *, attempts: bool) -> Iterator[str]:
        points = kind.series(run, tag, attempts=attempts)
        for point in points:
            yield _rest(kind, point)
        self.skipped += points.skipped


def _head(run: str, tag: str, kind: Kind) -> str:
    return _encode({"run": run, "tag": tag, "kind": kind.name})[:-1]


def _rest(kind: Kind, point: Any) -> str:
    time = {"step": point.step, "wall_time": number(point.wall_time)}
    hidden = {"hidden": True} if point.hidden else {}
    return _encode({**time, **kind.fields(point), **hidden})[1:-1]
