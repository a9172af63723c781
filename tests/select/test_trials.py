"""Trials: which runs belong together, their metrics, and the routes of the HParams view."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from torch.utils.tensorboard import SummaryWriter as TorchWriter

from lossboard.errors import UsageError
from lossboard.select.facts.table import Facts
from lossboard.select.trials import BestStep, Trials, main_metrics
from lossboard.select.trials_api import importance, trials_table
from lossboard.store.run_ids import run_id
from sweep import facts_of, table_of, write_run


def values(trials: Trials, tag: str, value: str | BestStep = "last", group: str = "") -> list[Any]:
    return trials.column((group, tag), value).values()


def test_runs_of_a_session_are_one_trial(tmp_path: Path) -> None:
    write_run(tmp_path / "a", {"lr": 0.1})
    write_run(tmp_path / "a" / "train", loss=[1.0])
    write_run(tmp_path / "a" / "validation", loss=[2.0])
    write_run(tmp_path / "b", {"lr": 0.2}, loss=[3.0])
    write_run(tmp_path / "plain", loss=[4.0])
    trials = Trials(table_of(tmp_path))
    assert trials.names == ["a", "b"]
    assert {key: count for key, (_, count) in trials.metrics.items()} == {
        ("", "loss"): 1,
        ("train", "loss"): 1,
        ("validation", "loss"): 1,
    }
    assert values(trials, "loss", group="validation") == [2.0, None]
    assert values(trials, "loss") == [None, 3.0]


def test_sub_run_of_torch_belongs_to_the_run_above(tmp_path: Path) -> None:
    for name, lr in (("a", 0.1), ("b", 0.2)):
        with TorchWriter(str(tmp_path / name)) as writer:
            writer.add_scalar("loss", lr * 10, 0)
            writer.add_scalars("parts", {"x": 1.0}, 0)
            writer.add_hparams({"lr": lr}, {"hparam/acc": lr * 2})
    trials = Trials(table_of(tmp_path))
    assert trials.names == ["a", "b"]
    assert values(trials, "hparam/acc") == pytest.approx([0.2, 0.4])
    assert values(trials, "loss") == [1.0, 2.0]
    assert [session.status for session in trials.sessions if session] == ["STATUS_SUCCESS"] * 2
    assert main_metrics(trials) == [("", "hparam/acc"), ("", "loss")]


def test_runs_without_the_plugin_are_trials_of_their_own(tmp_path: Path) -> None:
    for lr in (0.1, 0.01):
        write_run(tmp_path / f"lr_{lr}", loss=[lr])
    trials = Trials(table_of(tmp_path))
    assert trials.names == ["lr_0.1", "lr_0.01"]
    assert trials.sessions == [None, None]


def test_values_at_the_best_step_of_another_metric(tmp_path: Path) -> None:
    write_run(tmp_path / "a", {"lr": 1}, loss=[3.0, 1.0, 2.0], acc=[0.125, 0.25, 0.75])
    write_run(tmp_path / "b", {"lr": 2}, loss=[1.0, math.nan], acc=[0.5])
    write_run(tmp_path / "c", {"lr": 3}, acc=[0.5])
    trials = Trials(table_of(tmp_path))
    assert values(trials, "acc", BestStep(("", "loss"), "min")) == [0.25, 0.5, None]
    assert values(trials, "acc", BestStep(("", "loss"), "max")) == [0.125, 0.5, None]
    assert values(trials, "loss", "min") == [1.0, 1.0, None]


def test_main_metrics_are_those_of_evaluation_first(tmp_path: Path) -> None:
    write_run(tmp_path / "a", {"lr": 1}, train__loss=[1], eval__loss=[1], eval__f1=[1], lr=[1], epoch=[1])
    assert main_metrics(Trials(table_of(tmp_path))) == [("", "eval/f1"), ("", "eval/loss"), ("", "train/loss")]


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    folder = tmp_path_factory.mktemp("sweep")
    rng = np.random.default_rng(3)
    for i in range(36):
        lr = float(10 ** rng.uniform(-5, -1))
        loss = math.nan if i == 5 else (math.log10(lr) + 3) ** 2
        config = {"lr": lr, "width": float(rng.uniform(0, 1)), "seed": i, "model": "ab"[i % 2], "run_name": f"r{i}"}
        write_run(folder / f"{i:02}", config, loss=[9.0, loss])
    return facts_of(folder)


LOSS = {"group": "", "tag": "loss"}


def test_table_has_hyperparameters_and_the_chosen_metrics(facts: Facts) -> None:
    result = trials_table(facts, {"metrics": [LOSS], "value": "max"})
    head = result.head
    assert head["runs"] == [run_id(f"{i:02}") for i in range(36)]
    assert [one["name"] for one in head["hparams"]] == ["lr", "width", "seed", "model", "run_name"]
    assert head["hparams"][3]["texts"] == ["a", "b"]
    assert (head["metrics"], head["shown"]) == ([{**LOSS, "runs": 36, "best": "min"}], [0])
    assert result.tables[-1]["number"].tolist() == [9.0] * 36
    assert head["sessions"][0] == {"group": "00", "status": "STATUS_UNKNOWN"}


def test_importance_leaves_out_seeds_and_names(facts: Facts) -> None:
    found = importance(facts, {"metric": LOSS, "direction": "min"}).document
    assert (found["runs"], found["failed"]) == (36, 1)
    assert {row["name"] for row in found["rows"]} == {"lr", "width", "model"}
    assert found["rows"][0]["name"] == "lr"
    assert found["rows"][0]["log"]


def test_importance_of_few_runs_is_empty(facts: Facts) -> None:
    only = [run_id(f"{i:02}") for i in range(29)]
    found = importance(facts, {"metric": LOSS, "direction": "min", "runs": {"only": only}}).document
    assert (found["runs"], found["needed"], found["rows"]) == (29, 30, [])


@pytest.mark.parametrize(
    "params",
    [
        {"metrics": [{"tag": "loss"}]},
        {"metrics": "loss"},
        {"value": "median"},
        {"value": {"at_best": LOSS}},
        {"value": {"at_best": "loss", "direction": "min"}},
    ],
)
def test_wrong_parameters_are_rejected(facts: Facts, params: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="Expected"):
        trials_table(facts, params)
