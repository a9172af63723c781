from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import spearmanr

from lossboard.select.facts.columns import Column, value_column
from lossboard.select.importance import MIN_RUNS, Importance, importances

OPTIMIZERS = ["adam", "sgd", "lion"]


def sweep(runs: int) -> tuple[dict[str, Column], NDArray[np.float64]]:
    """A sweep in which the learning rate matters most, dropout and the optimizer a little, and `width` not at all."""
    rng = np.random.default_rng(7)
    lr, dropout = 10 ** rng.uniform(-5, -1, runs), rng.uniform(0, 0.5, runs)
    optimizer, width = rng.integers(0, 3, runs), rng.uniform(0, 1, runs)
    noise = 0.05 * rng.normal(size=runs)
    loss = (np.log10(lr) + 3) ** 2 + 0.5 * dropout + 0.3 * (optimizer == 1) + noise
    columns = {
        "lr": value_column(lr.tolist()),
        "dropout": value_column(dropout.tolist()),
        "optimizer": value_column([OPTIMIZERS[code] for code in optimizer]),
        "width": value_column(width.tolist()),
    }
    return columns, loss


def of(columns: dict[str, Column], loss: NDArray[np.float64], best: str = "min") -> dict[str, Importance]:
    found = importances(columns, loss, np.ones(len(loss), bool), "min" if best == "min" else "max")
    return {one.name: one for one in found}


def test_shares_equal_those_of_optuna() -> None:
    """The numbers are those of Optuna 5.0's PedAnovaImportanceEvaluator for the same trials, with float distributions
    from the smallest to the largest value, `lr` on a log scale."""
    found = of(*sweep(120))
    expected = {
        "lr": 0.8736825451667731,
        "dropout": 0.07134733197111731,
        "optimizer": 0.031856071178055355,
        "width": 0.023114051684054164,
    }
    assert list(found) == list(expected)
    assert [one.share for one in found.values()] == pytest.approx(list(expected.values()), rel=1e-9)
    assert [one.is_log for one in found.values()] == [True, False, False, False]


def test_only_parameters_with_an_effect_rise_above_the_noise() -> None:
    found = of(*sweep(400))
    assert not found["lr"].is_noise
    assert found["width"].is_noise


def test_random_columns_stay_below_the_noise_in_95_of_100_cases() -> None:
    rng = np.random.default_rng(1)
    columns = {str(i): value_column(rng.uniform(size=200).tolist()) for i in range(100)}
    found = of(columns, rng.normal(size=200))
    assert 88 <= sum(one.is_noise for one in found.values()) <= 100


def test_correlation_equals_scipys() -> None:
    rng = np.random.default_rng(2)
    batch, loss = rng.choice([16.0, 32.0, 64.0], 80), rng.normal(size=80)
    found = of({"batch": value_column(batch.tolist())}, loss + batch / 30)
    assert found["batch"].correlation == pytest.approx(spearmanr(batch, loss + batch / 30).statistic)


def test_direction_turns_shares_around_but_not_the_correlation() -> None:
    columns, loss = sweep(120)
    down, up = of(columns, loss), of(columns, -loss, "max")
    assert [one.share for one in down.values()] == [one.share for one in up.values()]
    assert down["dropout"].correlation == pytest.approx(-(up["dropout"].correlation or 0))


@pytest.mark.parametrize(("best", "sign"), [("min", 1), ("max", -1)])
def test_diverged_runs_are_the_worst(best: str, sign: int) -> None:
    lr = np.linspace(0.1, 1, 60)
    metric = np.where(lr > 0.5, np.nan, sign * 1.0)
    correlation = of({"lr": value_column(lr.tolist())}, metric, best)["lr"].correlation
    assert correlation is not None
    assert sign * correlation > 0.8


def test_too_few_runs_constant_columns_and_names_are_left_out() -> None:
    columns, loss = sweep(MIN_RUNS)
    columns["constant"] = value_column([1.0] * MIN_RUNS)
    columns["name"] = value_column([f"run {i}" for i in range(MIN_RUNS)])
    columns["rare"] = value_column([0.1 * i if i else None for i in range(MIN_RUNS)])
    assert set(of(columns, loss)) == {"lr", "dropout", "optimizer", "width"}
    columns, loss = sweep(MIN_RUNS - 1)
    assert of(columns, loss) == {}


def test_random_column_of_few_numbers_does_not_dominate() -> None:
    columns, loss = sweep(60)
    rng = np.random.default_rng(4)
    columns["batch"] = value_column(rng.choice([0.1, 0.2], 60).tolist())
    found = of(columns, loss)
    assert next(iter(found)) == "lr"
    assert found["batch"].is_noise
