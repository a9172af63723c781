"""Routes of facts, queries and groups, without HTTP."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from lossboard.errors import UsageError
from lossboard.kinds.cancellation import Cancelled, run_cancellable
from lossboard.select import api, trials_api
from lossboard.select.facts.fields import Field
from lossboard.select.facts.table import Facts
from lossboard.store.run_ids import run_id
from sweep import facts_of, write_run

LOSSES = {"a": 1.0, "b": 3.0, "c": math.nan, "d": 8.0}


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    configs: dict[str, dict[str, Any]] = {
        "a": {"lr": 0.1, "model": "cnn", "seed": 1, "epochs": 3},
        "b": {"lr": 0.1, "model": "cnn", "seed": 2, "epochs": 3},
        "c": {"lr": 0.01, "model": "cnn", "seed": 1, "epochs": 3},
        "d": {"lr": 0.01, "model": "bert", "dropout": 0.5, "epochs": 3},
    }
    for name, config in configs.items():
        write_run(tmp_path / name, config, loss=[9.0, LOSSES[name]])
    write_run(tmp_path / "e", other=[1.0])
    return facts_of(tmp_path)


def ids(names: str) -> list[str]:
    return [run_id(name) for name in names]


def test_query_returns_ids_and_no_facts_that_make_no_difference(facts: Facts) -> None:
    found = api.query(facts, {"query": "lr > 0.05 and seed < 3"}).document
    assert found["runs"] == ids("ab")
    assert found["lacking"] == []  # run d lacks the seed, but its lr is too small anyway
    assert found["problem"] is None
    assert api.query(facts, {"query": ""}).document["runs"] == ids("abcde")


@pytest.mark.parametrize(
    ("query", "including", "runs"),
    [
        ("dropout > 0.6 and lr < 1", "(dropout > 0.6 or not exists dropout) and lr < 1", "abc"),
        ("not dropout > 0.4", "not (dropout > 0.4 and exists dropout)", "abce"),
        ("dropout not in (0.5, 1) model = cnn", "(dropout not in (0.5, 1) or not exists dropout) model = cnn", "abc"),
        (
            "hp.dropout = 1 or dropout = 2",
            "(hp.dropout = 1 or not exists hp.dropout) or (dropout = 2 or not exists dropout)",
            "abce",
        ),
    ],
)
def test_query_can_include_runs_that_lack_a_fact(facts: Facts, query: str, including: str, runs: str) -> None:
    found = api.query(facts, {"query": query}).document
    before = found["runs"] or []
    assert found["lacking"] == [{"field": "hp.dropout", "runs": len(runs) - len(before), "including": including}]
    assert api.query(facts, {"query": including}).document["runs"] == ids(runs)


def test_query_with_an_error_has_its_place_and_suggestions(facts: Facts) -> None:
    found = api.query(facts, {"query": "lr < 1 and dropuot > 0"}).document
    assert found["runs"] is None
    assert found["problem"] == {
        "message": "No run has a fact called dropuot.",
        "start": 11,
        "end": 18,
        "suggestions": ["dropout"],
    }


def test_completion_replaces_the_word_at_the_caret(facts: Facts) -> None:
    found = api.completions(facts, {"query": "lr < 1 and dr or x", "caret": 13}).document
    assert (found["start"], found["end"]) == (11, 13)
    assert found["completions"][0] == {"text": "dropout", "kind": "name", "detail": "hyperparameter, 1 runs"}


def test_fields_are_found_with_their_number_of_runs_and_constant(facts: Facts) -> None:
    found = api.fields(facts, {"search": "e"}).document
    rows = {row["field"]: row for row in found["fields"]}
    assert rows["hp.epochs"] == {"field": "hp.epochs", "name": "epochs", "source": "hp", "type": "number", "runs": 4}
    assert rows["last(other)"]["runs"] == 1
    assert "state" in rows
    assert "hp.lr" not in rows
    chosen = api.fields(facts, {"search": "epochs", "runs": {"except": ids("e")}}).document
    assert chosen["fields"][0]["constant"] == 3.0
    limited = api.fields(facts, {"limit": 2}).document
    assert (len(limited["fields"]), limited["total"]) == (2, len(api.fields(facts, {}).document["fields"]))


def test_columns_hold_numbers_texts_and_missing_values(facts: Facts) -> None:
    result = api.columns(facts, {"fields": ["model", "last(loss)", "wrong"], "runs": {"except": ids("a")}})
    assert result.head["runs"] == ids("bcde")
    model, loss, wrong = result.head["columns"]
    assert model == {"field": "model", "type": "text", "runs": 3, "constant": False, "texts": ["cnn", "bert"]}
    assert loss == {"field": "last(loss)", "type": "number", "runs": 3, "constant": False, "best": "min"}
    assert wrong["problem"]["message"] == "No run has a fact called wrong."  # type: ignore[typeddict-item]
    texts, numbers = result.tables
    assert (texts["kind"].tolist(), texts["code"].tolist()) == ([2, 2, 2, 0], [0, 0, 1, -1])
    assert numbers["kind"].tolist() == [1, 1, 1, 0]
    np.testing.assert_array_equal(numbers["number"], [3.0, math.nan, 8.0, math.nan])


def test_too_many_cells_are_refused(facts: Facts) -> None:
    with pytest.raises(UsageError, match="at most 500 columns"):
        api.columns(facts, {"fields": ["lr"] * 501})


def test_groups_have_keys_members_and_the_mean_of_a_metric(facts: Facts) -> None:
    found = api.groups(facts, {"by": "model", "metric": "last(loss)"}).document
    assert found["by"] == [{"name": "model", "field": "hp.model", "type": "text"}]
    assert [(group["key"], group["runs"]) for group in found["groups"]] == [
        (["bert"], ids("d")),
        (["cnn"], ids("abc")),
        ([None], ids("e")),
    ]
    mean = found["groups"][1]["mean"]
    low, high = stats.t.interval(0.95, 1, loc=2.0, scale=stats.sem([1.0, 3.0]))
    assert (mean["mean"], mean["n"]) == (2.0, 2)
    assert mean["half"] == pytest.approx((high - low) / 2)


def test_grouping_by_a_condition_leaves_the_shared_table_unchanged(facts: Facts) -> None:
    found = api.groups(facts, {"by": "lr < 0.05, model = cnn"}).document
    assert [group["key"] for group in found["groups"]] == [[False, True], [True, False], [True, True], [None, None]]
    with pytest.raises(KeyError):
        facts.table().column(Field("query", "lr < 0.05"))


def test_groups_by_an_unknown_fact_name_the_problem(facts: Facts) -> None:
    found = api.groups(facts, {"by": "modle"}).document
    assert (found["groups"], found["problem"]["suggestions"]) == ([], ["model"])  # type: ignore[index]


def test_runs_that_differ_only_in_their_seed_are_found(facts: Facts) -> None:
    found = api.seeds(facts, {}).document
    assert found["seed"] == "hp.seed"
    assert found["groups"] == [ids("ab")]
    grouped = api.groups(facts, {"by": found["by"]}).document
    assert ids("ab") in [group["runs"] for group in grouped["groups"]]
    assert api.seeds(facts, {"runs": {"only": ids("acd")}}).document["seed"] is None


@pytest.mark.parametrize(
    ("route", "params"),
    [
        (api.query, {"query": "lr > 0.05"}),
        (api.groups, {"by": "lr"}),
        (api.columns, {"fields": ["last(loss)"]}),
        (trials_api.trials_table, {}),
    ],
)
def test_work_of_a_cancelled_request_ends(facts: Facts, route: Callable[..., object], params: dict[str, Any]) -> None:
    cancelled = threading.Event()

    def compute() -> None:
        cancelled.set()
        route(facts, params)

    with pytest.raises(Cancelled):
        run_cancellable(compute, cancelled)
    route(facts, params)


def test_columns_are_kept_up_to_a_limit(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lossboard.select.facts.table._MAX_COLUMN_ROWS", 2 * 5)  # two columns of five runs
    table = facts.table()
    for step in range(10):
        table.column(Field("hp", f"unknown{step}"))
    kept = table.column(Field("hp", "lr"))
    assert table.column(Field("hp", "lr")) is kept
    assert len(table.settings) == 2
