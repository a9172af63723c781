"""Judgments of the learning rate from losses and gradients."""

import dataclasses
from collections.abc import Iterable

import pytest

from lossboard.train.reporting.learning_check import LearningCheck
from lossboard.train.reporting.step_result import StepResult

STEP = StepResult(
    loss=0.7, accuracy=0.5, lr=1e-5, grad_norm=2.0, examples=32, tokens=900, tokens_with_padding=1000,
    micro_batch=32, seconds=1.0,
)  # fmt: skip
ENOUGH = 1e-2  # travel of a usual run: 5e-5 over 400 steps with a linear schedule


def judged(losses: Iterable[float], *, batch_size: int = 32, travel: float = ENOUGH, grad_norm: float = 2.0):
    """Returns the step and verdict of the first judgment."""
    check = LearningCheck(chance_loss=0.693, batch_size=batch_size, travel=travel)
    for step, loss in enumerate(losses, start=1):
        result = dataclasses.replace(STEP, loss=loss, examples=batch_size, grad_norm=grad_norm)
        if judgment := check.observe(result):
            return step, judgment.verdict
    return None


def test_exploding_loss_is_judged_at_once():
    assert judged([0.7] * 18 + [270.0]) == (19, "too-high")
    assert judged([0.7, 40.0, 90.0]) == (3, "too-high"), "the first step precedes any update"


def test_flat_loss_with_a_tiny_rate_is_judged_too_low():
    assert judged([0.70, 0.69, 0.71] * 10, travel=1e-6) == (20, "too-low")


@pytest.mark.parametrize(
    ("losses", "settings"),
    [
        ([0.7, 0.68, 0.6, 0.5, 0.4, 0.3] + [0.2] * 30, {}),
        ([0.70, 0.69, 0.71] * 20, {}),  # not moving yet, but the rate suffices
        ([0.7, 0.6, 0.5, 0.4] + [0.3] * 30, {"travel": 1e-6}),  # learns in spite of a low rate
        ([0.69] * 40, {"travel": 1e-6, "grad_norm": 0.0}),  # nothing to follow
        ([5.0, 4.5, 4.0, 3.5, 2.5] + [1.0] * 20, {}),  # a head that was trained for other labels
        ([0.1] * 60 + [9.0] * 4 + [0.1] * 30, {"batch_size": 1}),  # a few difficult examples
        ([0.70] * 19, {"travel": 1e-6}),  # too early
    ],
)
def test_usual_losses_are_not_judged(losses, settings):
    assert judged(losses, **settings) is None


def test_non_finite_steps_are_ignored():
    check = LearningCheck(chance_loss=0.693, batch_size=32, travel=ENOUGH)
    bad = dataclasses.replace(STEP, loss=float("nan"))
    assert [check.observe(result) for result in [STEP, bad, STEP, bad, STEP]] == [None] * 5
