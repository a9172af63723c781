"""Regression: detection from the labels, and metrics."""

from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from lossboard.errors import UsageError
from lossboard.train.preparation.examples import load_data
from lossboard.train.tasks.regression import RegressionEvaluation


def task_of(folder: Path, header: str, labels: list[object], **settings: object) -> str:
    file = folder / "data.csv"
    rows = (f"a film of number {row},{label}" for row, label in enumerate(labels))
    file.write_text("\n".join([f"text,{header}", *rows]) + "\n")
    return load_data(file, **settings).task.describe()


def test_fractions_are_numbers_and_whole_numbers_are_classes(tmp_path: Path) -> None:
    assert task_of(tmp_path, "label", [0.5, 1, 1.5, 2] * 10) == "regression: a number from 0.5 to 2"
    assert task_of(tmp_path, "stars", ["0.5", "1", "n/a", *["2.5"] * 20]) == "regression: a number from 0.5 to 2.5"
    assert task_of(tmp_path, "weight", [i / 7 for i in range(100)]).startswith("regression")
    assert task_of(tmp_path, "label", [1.0, 2.0, 3.0] * 10).startswith("3 classes")
    assert task_of(tmp_path, "label", [1, 2, 3] * 10, task="regression") == "regression: a number from 1 to 3"
    assert task_of(tmp_path, "label", [0.5, 1, 1.5, 2] * 10, task="classification").startswith("4 classes")
    with pytest.raises(UsageError, match="--classes names classes, but the column 'label' has numbers"):
        task_of(tmp_path, "label", [0.5, 1.5] * 10, classes=["bad", "good"])


def test_held_out_set_has_low_and_high_numbers_in_proportion(tmp_path: Path) -> None:
    file = tmp_path / "data.csv"
    file.write_text("text,score\n" + "".join(f"film {row},{row / 100}\n" for row in range(1000)))
    data = load_data(file, fraction=0.1)
    assert np.histogram(data.validation.labels, bins=10, range=(0, 10))[0].tolist() == [10] * 10


def test_metrics_are_those_of_scipy() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 5, 60).astype(float)
    values = labels + rng.normal(size=60).round(1)
    metrics = RegressionEvaluation(values, labels, np.arange(60)).metrics()
    assert metrics["pearson"] == pytest.approx(scipy.stats.pearsonr(values, labels).statistic)
    assert metrics["spearman"] == pytest.approx(scipy.stats.spearmanr(values, labels).statistic)
    assert metrics["rmse"] == pytest.approx(np.sqrt(metrics["loss"]))
    assert metrics["mae"] == pytest.approx(np.abs(values - labels).mean())
    assert RegressionEvaluation(np.ones(3), np.arange(3.0), np.arange(3)).metrics()["pearson"] == 0
