from __future__ import annotations

import math
from pathlib import Path

import pytest

from lossboard.board import open_logdir
from lossboard.select.facts.table import Facts, FactTable
from lossboard.store.annotations import Annotations
from lossboard.store.series_index import SeriesIndex
from sweep import write_run


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> FactTable:
    """Six runs that the tests and docs/query.md select from."""
    logdir = tmp_path_factory.mktemp("query")
    write_sweep(logdir)
    opened = open_logdir(logdir)
    annotations = Annotations(opened)
    annotations.edit([opened.runs["bert-a"]], {"tags": ["baseline", "paper"], "alias": "First try"})
    return Facts(opened, SeriesIndex(), annotations).table()


def write_sweep(logdir: Path) -> None:
    base = {"optim": {"lr": 1e-3, "name": "adamw"}, "batch_size": 32, "seed": 1}
    write_run(
        logdir / "bert-a",
        {**base, "model": "bert-base", "amp": True, "dropout": 0.1},
        train__loss=[3, 2, 1],
        eval__loss=[2, 1.5],
        eval__acc=[0.5, 0.9, 0.8],
    )
    write_run(
        logdir / "bert-b",
        {**base, "model": "bert-large", "amp": False, "seed": 2, "optim": {"lr": 3e-5, "name": "sgd"}},
        train__loss=[3, 0.5],
        eval__acc=[0.95],
    )
    write_run(logdir / "cnn/one", {**base, "model": "cnn", "dropout": 0.5, "width": 64}, train__loss=[4, math.nan])
    write_run(logdir / "cnn/two", {**base, "model": "cnn", "width": "wide", "state": "odd"}, train__loss=[4, 3, 2, 1.5])
    write_run(logdir / "no config", train__loss=[1], **{"odd tag (x)": [5]})
    write_run(logdir / "empty")
