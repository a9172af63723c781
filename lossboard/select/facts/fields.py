"""Fields: how a fact about runs is named. `lr`, `hp.lr`, `state`, `last(train/loss)`, `at(train/loss, 1000)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lossboard.select.facts.columns import ColumnType

RUN_FACTS: dict[str, tuple[ColumnType, str]] = {
    "run": ("text", "name of the run"),
    "folder": ("text", "folder of the run within the logdir"),
    "alias": ("text", "name given in the sidebar"),
    "tags": ("texts", "tags given in the sidebar"),
    "note": ("text", "note given in the sidebar"),
    "state": ("text", "running, stalled or finished"),
    "start": ("time", "time of the first event"),
    "duration": ("duration", "time from the first to the last event"),
    "last_step": ("number", "largest step of all scalars"),
    "size": ("size", "size of the event files"),
    "corrupt_records": ("number", "corrupt records that were skipped"),
}
"""Facts that every run has: type and description."""

AGGREGATES: dict[str, str] = {
    "last": "last value",
    "first": "first value",
    "min": "smallest finite value",
    "max": "largest finite value",
    "mean": "mean of the finite values",
    "argmin": "step of the smallest value",
    "argmax": "step of the largest value",
    "count": "number of points",
    "at": "value at a step: at(loss, 1000)",
}

_PLAIN_NAME = re.compile(r"[^\s()<>=!~,\"'`]+")


@dataclass(frozen=True, slots=True)
class Field:
    """One fact. `name` is a run fact, a hyperparameter, the tag of a metric, or a query that is true or false."""

    source: Literal["run", "hp", "metric", "query"]
    name: str
    aggregate: str = ""
    step: int = 0
    """The step of the aggregate `at`."""

    def __str__(self) -> str:
        """The spelling that always means this field, whatever else the logdir has."""
        if self.source in ("run", "query"):
            return self.name
        if self.source == "hp":
            return quote_name(f"hp.{self.name}")
        step = f", {self.step}" if self.aggregate == "at" else ""
        return f"{self.aggregate}({quote_name(self.name)}{step})"


def quote_name(name: str) -> str:
    """Returns a name as a query spells it: in backticks, if it has spaces or operators."""
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"
