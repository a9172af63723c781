"""Measures of PR curves, compared with their definitions on the scores themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lossboard.kinds.pr_curves.decode import PrCurveStep
from lossboard.kinds.pr_curves.encode import encode_curve
from lossboard.kinds.pr_curves.measures import (
    at_threshold,
    average_precision,
    class_sizes,
    drawn_length,
    f1_score,
    roc_area,
)


def curve(truth: Any, scores: Any, thresholds: int = 101, weights: Any = None) -> np.ndarray:
    return PrCurveStep.parse(encode_curve("t", truth, scores, num_thresholds=thresholds, weights=weights)).rows


@pytest.fixture
def examples() -> tuple[np.ndarray, np.ndarray]:
    """Labels, and scores that are multiples of the thresholds, so that binning loses nothing."""
    rng = np.random.default_rng(0)
    truth = rng.random(500) < 0.3
    scores = np.clip(rng.normal(0.4 + 0.2 * truth, 0.15), 0, 1)
    return truth, (np.floor(scores * 64) + 0.25) / 65


def test_average_precision_is_the_mean_precision_at_each_hit(examples: Any) -> None:
    truth, scores = examples
    wanted = 0.0
    for score in np.unique(scores):
        above = scores >= score
        wanted += truth[above].mean() * truth[scores == score].sum() / truth.sum()
    assert average_precision(curve(truth, scores, 66)) == pytest.approx(wanted, rel=1e-5)


def test_roc_area_is_the_share_of_pairs_in_order(examples: Any) -> None:
    truth, scores = examples
    pairs = np.sign(scores[truth][:, None] - scores[~truth][None, :])
    assert roc_area(curve(truth, scores, 66)) == pytest.approx(((pairs + 1) / 2).mean(), rel=1e-5)


def test_perfect_scores_have_areas_of_one() -> None:
    rows = curve([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9])
    assert average_precision(rows) == pytest.approx(1)
    assert roc_area(rows) == pytest.approx(1)


def test_class_sizes_are_weighted() -> None:
    assert class_sizes(curve([0, 1, 1], [0.1, 0.5, 0.9])) == (2, 1)
    assert class_sizes(curve([0, 1, 1], [0.1, 0.5, 0.9], weights=[0.25, 0.125, 0.125])) == (0.25, 0.25)


def test_curve_ends_before_the_tail_without_predicted_positives() -> None:
    assert drawn_length(curve([0, 1], [0.1, 0.52])) == 53
    assert drawn_length(curve([0, 1], [0.1, 0.52], weights=[0.001, 0.001])) == 53


def test_curve_without_counts_has_only_an_area() -> None:
    rows = np.array([[0.0] * 3] * 4 + [[0.5, 0.8, 0], [1, 0.5, 0]])
    assert drawn_length(rows) == 2
    assert average_precision(rows) == pytest.approx(0.5 * 0.5 + 0.5 * 0.8)
    assert roc_area(rows) is None


@pytest.mark.parametrize(
    "rows",
    [
        np.zeros((6, 0)),
        np.zeros((6, 1)),
        np.full((6, 4), np.nan),
        np.full((6, 4), np.inf),
        np.array([[1.0, 5, 2]] * 6),
        np.array([[-1.0, -5, -2]] * 6),
    ],
    ids=["empty", "one", "nan", "inf", "not-monotonic", "negative"],
)
def test_rows_that_are_not_a_curve_have_no_measures(rows: np.ndarray) -> None:
    assert (average_precision(rows), roc_area(rows)) == (None, None)
    assert 0 <= drawn_length(rows) <= rows.shape[1]


def test_nearest_threshold() -> None:
    rows = np.zeros((6, 5))
    assert [at_threshold(rows, t) for t in (0, 0.12, 0.13, 0.5, 1)] == [0, 0, 1, 2, 4]
    assert at_threshold(np.zeros((6, 1)), 1) == 0


def test_f1_score() -> None:
    assert f1_score(0.5, 1) == pytest.approx(2 / 3)
    assert f1_score(0, 0) == 0
    assert math.isnan(f1_score(math.nan, 0.5))
