"""The table of facts: what its columns hold, and what a refresh reads."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from lossboard.board import open_logdir
from lossboard.select.facts.columns import Column
from lossboard.select.facts.fields import Field
from lossboard.select.facts.table import Facts, FactTable
from lossboard.store.annotations import Annotations
from lossboard.store.series_index import SeriesIndex
from lossboard.writer import SummaryWriter
from reference import frame
from sweep import facts_of, table_of, write_run


def values(table: FactTable, source: str, name: str, aggregate: str = "", step: int = 0) -> dict[str, object]:
    column = table.column(Field(source, name, aggregate, step))  # type: ignore[arg-type]
    return dict(zip(table.by_name, column.values(), strict=True))


def hyperparameters(logdir: Path) -> dict[str, dict[str, object]]:
    table = table_of(logdir)
    return {name: dict(row) for name, row in zip(table.by_name, table.hyperparameters, strict=True)}


def test_hyperparameters_of_our_writer(tmp_path: Path) -> None:
    write_run(tmp_path / "a", {"lr": 0.1, "optim": {"name": "adamw"}, "amp": True}, loss=[1])
    assert hyperparameters(tmp_path) == {"a": {"lr": 0.1, "optim.name": "adamw", "amp": True}}


def test_hyperparameters_of_torch_belong_to_the_run_above(tmp_path: Path) -> None:
    with TorchWriter(str(tmp_path / "a")) as writer:
        writer.add_scalar("loss", 1.0, 0)
        writer.add_hparams({"lr": 0.1, "model": "bert"}, {"final": 1.0})
    found = hyperparameters(tmp_path)
    assert len(found) == 2
    assert found["a"] == {"lr": 0.1, "model": "bert"}


def test_sub_runs_have_the_hyperparameters_of_their_session(tmp_path: Path) -> None:
    write_run(tmp_path / "a", {"lr": 0.1, "seed": 1})
    write_run(tmp_path / "a" / "train", loss=[1])
    write_run(tmp_path / "a" / "validation_seed_2", loss=[1])
    found = hyperparameters(tmp_path)
    assert found["a/train"] == {"lr": 0.1, "seed": 1.0}
    assert found["a/validation_seed_2"] == {"lr": 0.1, "seed": 2.0}


@pytest.mark.parametrize(
    ("tag", "text", "expected"),
    [
        (
            "args",
            '{"learning_rate": 5e-05, "fp16": false, "output_dir": "out"}',
            {"learning_rate": 5e-5, "fp16": False},
        ),
        ("config", '```json\n{"a": {"b": "7"}}\n```', {"a.b": 7.0}),
        ("hyperparameters", "|param|value|\n|-|-|\n|env_id|CartPole-v1|\n|lr|0.00025|\n|cuda|True|", {"lr": 0.00025}),
        ("hparams", "| a | b |\n|:--|--:|\n| **lr** | `0.1` |", {"lr": 0.1}),
        ("model_config", '{"hidden_size": 768}', {"model_config.hidden_size": 768.0}),
        ("config", "Some prose | with a bar", {}),
        ("config", '{"broken": ', {}),
        ("notes", '{"lr": 1}', {}),
    ],
)
def test_logged_configs(tmp_path: Path, tag: str, text: str, expected: dict[str, object]) -> None:
    with SummaryWriter(tmp_path / "a") as writer:
        writer.add_text(tag, text)
    found = hyperparameters(tmp_path)["a"]
    assert expected.items() <= found.items()
    assert bool(found) == bool(expected)


def test_sources_override_each_other(tmp_path: Path) -> None:
    write_run(tmp_path / "lr_1_bs_1_seed_1", {"lr": 4})
    (tmp_path / "lr_1_bs_1_seed_1" / "config.json").write_text(json.dumps({"lr": 3, "bs": 3}))
    assert hyperparameters(tmp_path) == {"lr_1_bs_1_seed_1": {"lr": 4.0, "bs": 3.0, "seed": 1.0}}


def test_statistics_of_a_metric(tmp_path: Path) -> None:
    write_run(tmp_path / "a", loss=[3.0, math.nan, 1.0, 5.0, 1.0, math.inf])
    write_run(tmp_path / "b", other=[1.0])
    write_run(tmp_path / "c", loss=[math.nan])
    table = table_of(tmp_path)
    expected = {
        "first": 3.0, "last": math.inf, "min": 1.0, "max": 5.0, "mean": 2.5, "argmin": 2.0, "argmax": 3.0, "count": 6.0,
    }  # fmt: skip
    assert {name: values(table, "metric", "loss", name)["a"] for name in expected} == expected
    assert {values(table, "metric", "loss", name)["b"] for name in expected} == {None}
    assert math.isnan(values(table, "metric", "loss", "last")["c"])  # type: ignore[arg-type]
    assert values(table, "metric", "loss", "min")["c"] is None
    assert values(table, "metric", "loss", "count")["c"] == 1.0


def test_value_at_a_step(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "a") as writer:
        for step in (10, 20, 30):
            writer.add_scalar("loss", step / 10, step)
    table = table_of(tmp_path)
    found = {step: values(table, "metric", "loss", "at", step)["a"] for step in (9, 10, 19, 20, 30, 31)}
    assert found == {9: None, 10: 1.0, 19: 1.0, 20: 2.0, 30: 3.0, 31: None}


def test_facts_that_every_run_has(tmp_path: Path) -> None:
    write_run(tmp_path / "sweep" / "a", loss=[1, 2, 3])
    write_run(tmp_path / "b")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "events.out.tfevents.1").write_bytes(frame(b"not an event"))
    logdir = open_logdir(tmp_path)
    annotations = Annotations(logdir)
    annotations.edit([logdir.runs["b"]], {"tags": ["good", "best"], "note": "Try again", "alias": "B"})
    table = Facts(logdir, SeriesIndex(), annotations).table()
    run_a = logdir.runs["sweep/a"]
    assert values(table, "run", "run")["sweep/a"] == "sweep/a"
    assert values(table, "run", "folder") == {"sweep/a": "sweep", "b": ".", "c": "."}
    assert values(table, "run", "tags") == {"sweep/a": None, "b": "good, best", "c": None}
    assert values(table, "run", "note")["b"] == "Try again"
    assert values(table, "run", "alias")["b"] == "B"
    assert values(table, "run", "state")["sweep/a"] == "finished"
    assert values(table, "run", "start")["sweep/a"] == run_a.start
    assert values(table, "run", "start")["c"] is None
    assert values(table, "run", "duration")["sweep/a"] == run_a.last - run_a.start  # type: ignore[operator]
    assert values(table, "run", "last_step") == {"sweep/a": 2.0, "b": None, "c": None}
    assert values(table, "run", "size")["sweep/a"] == run_a.bytes
    assert values(table, "run", "corrupt_records") == {"sweep/a": 0.0, "b": 0.0, "c": 1.0}


def test_column_types(tmp_path: Path) -> None:
    write_run(tmp_path / "a", {"n": 1, "t": "x", "b": True, "m": 1})
    write_run(tmp_path / "b", {"n": 2.5, "t": "y", "b": False, "m": "one"})
    write_run(tmp_path / "c", {"m": True})
    table = table_of(tmp_path)
    types = {name: table.column(Field("hp", name)).type for name in "ntbm"}
    assert types == {"n": "number", "t": "text", "b": "boolean", "m": "mixed"}
    assert values(table, "hp", "m") == {"a": 1.0, "b": "one", "c": True}
    assert values(table, "hp", "n")["c"] is None


def test_refresh_follows_growth_restarts_and_removal(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path / "a")
    writer.add_scalar("loss", 5.0, 0)
    writer.add_scalar("loss", 1.0, 1)
    write_run(tmp_path / "b", {"lr": 0.1}, loss=[7.0])
    facts = facts_of(tmp_path)
    before = facts.table()
    assert facts.table() is before
    assert values(before, "metric", "loss", "min") == {"a": 1.0, "b": 7.0}
    column = before.column(Field("hp", "lr"))
    writer.add_scalar("loss", 0.5, 2)
    facts._logdir.poll()
    grown = facts.table()
    assert values(grown, "metric", "loss", "min") == {"a": 0.5, "b": 7.0}
    assert grown.column(Field("hp", "lr")) is column, "hyperparameters did not change"
    writer.add_scalar("loss", 9.0, 1)  # a restart supersedes steps 1 and 2
    facts._logdir.poll()
    assert values(facts.table(), "metric", "loss", "min") == {"a": 5.0, "b": 7.0}
    assert values(facts.table(), "metric", "loss", "count") == {"a": 2.0, "b": 1.0}
    writer.close()
    for file in (tmp_path / "b").iterdir():
        file.unlink()
    (tmp_path / "b").rmdir()
    facts._logdir.poll()
    assert values(facts.table(), "metric", "loss", "last") == {"a": 9.0}
    assert facts.table().hyperparameter_names == {}


def test_statistics_of_series_that_grow_equal_those_of_a_cold_read(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path / "a")
    facts = facts_of(tmp_path)
    for step in range(300):
        writer.add_scalar("loss", math.sin(step * 7) * 1e3 + 1e8, step)
        if step % 37 == 0:
            facts._logdir.poll()
            facts.table().column(Field("metric", "loss", "mean"))
    facts._logdir.poll()
    cold = table_of(tmp_path)
    writer.close()
    for aggregate in ("first", "last", "min", "max", "mean", "argmin", "argmax", "count"):
        warm = values(facts.table(), "metric", "loss", aggregate)
        assert warm == values(cold, "metric", "loss", aggregate), aggregate


def test_equal_values_have_equal_labels(tmp_path: Path) -> None:
    for name, value in {"a": 1, "b": "1x", "c": True, "d": 1, "e": None}.items():
        write_run(tmp_path / name, {"m": value, "other": 0})
    column = table_of(tmp_path).column(Field("hp", "m"))
    assert isinstance(column, Column)
    codes, known = column.labels
    assert [known[code] for code in codes] == [1.0, "1x", True, 1.0, None]
    assert len(set(codes.tolist())) == 4
