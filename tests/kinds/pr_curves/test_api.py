"""Routes of PR curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fake_run import tensor_value
from lossboard.errors import UsageError
from lossboard.events.tensors import encode_array
from lossboard.store.logdir import Logdir
from lossboard.store.run_ids import run_id
from lossboard.writer import SummaryWriter
from tests.kinds.views import call_route, log_values, open_logdir

RUN = run_id("run")
CLASS = {"run": RUN, "tag": "eval/yes"}


@pytest.fixture
def logdir(tmp_path: Path) -> Logdir:
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.4
    with SummaryWriter(tmp_path / "run") as log:
        for step in range(10):
            scores = np.clip(rng.normal(0.5 + 0.03 * step * (truth - 0.5), 0.1), 0, 1)
            log.add_pr_curve("eval/yes", truth, scores, step)
        none = np.zeros(3)
        log.add_pr_curve_raw("raw", none, none, none, none, [0.2, 0.5, 1], [1, 0.5, 0.1], 0, num_thresholds=3)
    log_values(tmp_path / "run", (3, tensor_value("bad", "pr_curves", encode_array(np.zeros((5, 2), np.float32)))))
    return open_logdir(tmp_path)


def test_series_have_steps_thresholds_and_what_is_broken(logdir: Logdir) -> None:
    found = {one["tag"]: one for one in call_route(logdir, "pr_curves", "series").document["series"]}
    assert found["eval/yes"]["steps"] == list(range(10))
    assert found["eval/yes"]["thresholds"] == 127
    assert found["bad"]["broken"] == "Expected a precision-recall curve of shape [6, thresholds], got [5, 2]"


def test_curves_have_counts_and_areas(logdir: Logdir) -> None:
    response = call_route(logdir, "pr_curves", "curves", curves=[{**CLASS, "step": 9}, {**CLASS, "step": 0}])
    late, early = response.head["curves"]
    assert late["positives"] + late["others"] == 400
    assert late["area"] > early["area"]
    assert late["roc_area"] > 0.8
    table = response.tables[0]
    np.testing.assert_allclose(table["true_positives"] + table["false_negatives"], late["positives"])


def test_curve_without_counts_has_no_roc(logdir: Logdir) -> None:
    (head,) = call_route(logdir, "pr_curves", "curves", curves=[{"run": RUN, "tag": "raw", "step": 0}]).head["curves"]
    assert head["roc_area"] is None
    assert (head["positives"], head["others"]) == (0, 0)


def test_one_broken_or_missing_curve_does_not_fail_the_others(logdir: Logdir) -> None:
    places = [(RUN, "eval/yes", 0), (RUN, "eval/yes", 99), (RUN, "bad", 3), ("gone", "eval/yes", 0)]
    asked = [{"run": run, "tag": tag, "step": step} for run, tag, step in places]
    response = call_route(logdir, "pr_curves", "curves", curves=asked)
    assert ["error" in head for head in response.head["curves"]] == [False, True, True, True]
    assert len(response.tables) == 1


def test_history_equals_the_curves(logdir: Logdir) -> None:
    response = call_route(logdir, "pr_curves", "history", series=[CLASS, {"run": "gone", "tag": ""}], threshold=0.5)
    assert response.head["series"][0] == {"steps": 10, "skipped": 0}
    assert "error" in response.head["series"][1]
    (table,) = response.tables
    curves = call_route(logdir, "pr_curves", "curves", curves=[{**CLASS, "step": step} for step in range(10)])
    np.testing.assert_array_equal(table["step"], range(10))
    np.testing.assert_array_equal(table["precision"], [curve["precision"][63] for curve in curves.tables])
    np.testing.assert_array_equal(table["area"], [head["area"] for head in curves.head["curves"]])
    tp, fp, fn = (
        np.array([curve[row][63] for curve in curves.tables])
        for row in ("true_positives", "false_positives", "false_negatives")
    )
    np.testing.assert_allclose(table["f1"], 2 * tp / (2 * tp + fp + fn), rtol=1e-5)


def test_history_of_many_steps_keeps_the_first_and_the_last(logdir: Logdir) -> None:
    response = call_route(logdir, "pr_curves", "history", series=[CLASS], threshold=0.5, columns=4)
    assert response.tables[0]["step"].tolist() == [0, 3, 6, 9]
    assert response.head["series"][0]["steps"] == 10


def test_history_counts_what_it_skips(logdir: Logdir) -> None:
    response = call_route(logdir, "pr_curves", "history", series=[{"run": RUN, "tag": "bad"}], threshold=0.5)
    assert response.head["series"] == [{"steps": 1, "skipped": 1}]
    assert response.tables[0]["step"].tolist() == []


def test_export_has_every_threshold_of_every_step(logdir: Logdir) -> None:
    lines = b"".join(call_route(logdir, "pr_curves", "export", **CLASS).parts).decode().splitlines()
    assert lines[0].startswith("step,wall_time,threshold,true_positives,")
    assert len(lines) == 1 + 10 * 127


@pytest.mark.parametrize("threshold", [-0.1, 1.5, "high", None, float("nan")])
def test_invalid_threshold_raises(logdir: Logdir, threshold: object) -> None:
    with pytest.raises(UsageError, match='"threshold" to be a number'):
        call_route(logdir, "pr_curves", "history", series=[], threshold=threshold)
