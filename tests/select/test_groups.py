"""Groups of runs by facts and by seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lossboard
from lossboard.errors import UsageError
from lossboard.select.facts.fields import Field
from lossboard.select.facts.table import FactTable
from lossboard.select.groups import Group, group_rows, seed_grouping
from lossboard.select.select_fields import select_groups
from lossboard.syntax.errors import QueryError
from sweep import table_of, write_run


def members(table: FactTable, groups: list[Group]) -> list[tuple[tuple[object, ...], list[str]]]:
    return [(tuple(group.key.values()), sorted(table.runs[row].name for row in group.rows)) for group in groups]


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    for name, config in {
        "a": {"lr": 0.1, "model": "cnn", "seed": 1, "output_dir": "out/a"},
        "b": {"lr": 0.1, "model": "cnn", "seed": 2, "output_dir": "out/b"},
        "c": {"lr": 0.01, "model": "cnn", "seed": 1, "output_dir": "out/c"},
        "d": {"lr": 0.01, "model": "bert", "output_dir": "out/d"},
    }.items():
        write_run(tmp_path / name, config, loss=[float(ord(name)), 1.0])
    write_run(tmp_path / "e", other=[1.0])
    return tmp_path


def test_groups_are_ordered_by_their_facts_with_missing_ones_last(logdir: Path) -> None:
    table = table_of(logdir)
    rows = np.arange(len(table))
    assert members(table, group_rows(table, rows, [Field("hp", "lr"), Field("hp", "model")])) == [
        ((0.01, "bert"), ["d"]),
        ((0.01, "cnn"), ["c"]),
        ((0.1, "cnn"), ["a", "b"]),
        ((None, None), ["e"]),
    ]
    assert members(table, group_rows(table, rows[:2], [])) == [((), ["a", "b"])]
    assert group_rows(table, rows[:0], [Field("hp", "lr")]) == []


def test_groups_by_conditions_are_false_true_and_unknown(logdir: Path) -> None:
    table = table_of(logdir)
    by = select_groups(table, "lr < 0.05, not (model in (cnn, mlp) and seed = 1)")
    assert list(by) == ["lr < 0.05", "not (model in (cnn, mlp) and seed = 1)"]
    assert members(table, group_rows(table, np.arange(len(table)), list(by.values()))) == [
        ((False, False), ["a"]),
        ((False, True), ["b"]),
        ((True, False), ["c"]),
        ((True, True), ["d"]),
        ((None, None), ["e"]),
    ]
    groups = lossboard.open(logdir).group("loss", "model, last(loss) >= 1")
    assert [(group.key, group.runs) for group in groups] == [
        ({"model": "bert", "last(loss) >= 1": True}, ["d"]),
        ({"model": "cnn", "last(loss) >= 1": True}, ["a", "b", "c"]),
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("lr model", (3, 8)),
        ("lr <", (4, 4)),
        ("lr, ", (4, 4)),
        ("(lr < 1", (7, 7)),
        ("lrr < 1", (0, 3)),
        (", lr", (0, 1)),
    ],
)
def test_invalid_groups_are_reported_with_their_place(logdir: Path, text: str, place: tuple[int, int]) -> None:
    with pytest.raises(QueryError) as error:
        select_groups(table_of(logdir), text)
    assert (error.value.start, error.value.end) == place


def test_runs_that_differ_only_in_their_seed_are_found(logdir: Path) -> None:
    table = table_of(logdir)
    found = seed_grouping(table, np.arange(len(table)))
    assert found is not None
    assert found.seed == Field("hp", "seed")
    assert found.by == (Field("hp", "lr"), Field("hp", "model"))
    assert members(table, found.groups) == [((0.1, "cnn"), ["a", "b"])]


def test_runs_without_repetitions_have_no_seed_groups(logdir: Path) -> None:
    table = table_of(logdir)
    assert seed_grouping(table, np.array([0, 2, 3])) is None


def test_board_groups_runs(logdir: Path) -> None:
    board = lossboard.open(logdir)
    slow, fast = board.group("loss", "lr")
    assert (slow.key, slow.runs) == ({"lr": 0.01}, ["c", "d"])
    assert (fast.key, fast.runs) == ({"lr": 0.1}, ["a", "b"])
    assert fast.curve.center.tolist() == [(ord("a") + ord("b")) / 2, 1.0]
    assert fast.curve.n.tolist() == [2, 2]
    (whole,) = board.group("loss", query="model = cnn", center="median")
    assert whole.curve.center.tolist() == [ord("b"), 1.0]


def test_another_group_changes_no_number(logdir: Path) -> None:
    board = lossboard.open(logdir)
    alone = board.group("loss", "lr", query="lr = 0.1", band="bootstrap")[0]
    beside = board.group("loss", "lr", band="bootstrap")[1]
    assert alone.key == beside.key
    for name in ("steps", "center", "low", "high", "n"):
        np.testing.assert_array_equal(getattr(alone.curve, name), getattr(beside.curve, name))


def test_groups_of_unknown_tags_and_facts_are_refused(logdir: Path) -> None:
    board = lossboard.open(logdir)
    with pytest.raises(UsageError, match="No run has logged the scalar nothing"):
        board.group("nothing")
    with pytest.raises(QueryError, match="No run has a fact called lrr"):
        board.group("loss", "lrr")
