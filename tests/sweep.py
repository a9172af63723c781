"""Small logdirs of runs with hyperparameters and scalars, and the table of facts about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lossboard.board import open_logdir
from lossboard.select.facts.table import Facts, FactTable
from lossboard.store.annotations import Annotations
from lossboard.store.series_index import SeriesIndex
from lossboard.writer import SummaryWriter


def write_run(folder: Path, config: Mapping[str, Any] | None = None, **scalars: Sequence[float]) -> None:
    """Writes a run whose scalars have the steps 0, 1, 2 and so on. `__` in a tag is a slash."""
    with SummaryWriter(folder) as writer:
        if config:
            writer.add_config(config)
        for tag, values in scalars.items():
            for step, value in enumerate(values):
                writer.add_scalar(tag.replace("__", "/"), value, step)


def facts_of(logdir: Path) -> Facts:
    opened = open_logdir(logdir)
    return Facts(opened, SeriesIndex(), Annotations(opened))


def table_of(logdir: Path) -> FactTable:
    return facts_of(logdir).table()
