"""Direction of metrics, guessed from tags."""

from __future__ import annotations

import pytest

from lossboard.select.facts.direction import direction_of
from lossboard.select.facts.fields import Field


@pytest.mark.parametrize(
    ("tag", "direction"),
    [
        ("train/loss", "min"),
        ("eval_loss", "min"),
        ("eval/accuracy", "max"),
        ("val/F1", "max"),
        ("Loss/accuracy", "max"),
        ("top1_acc", "max"),
        ("rewards/mean_reward", "max"),
        ("eval/error_rate", "min"),
        ("loss_scale", None),
        ("train/learning_rate", None),
        ("mapping", None),
        ("", None),
    ],
)
def test_direction_follows_from_the_words_of_a_tag(tag: str, direction: str | None) -> None:
    assert direction_of(Field("metric", tag, "last")) == direction


def test_steps_and_hyperparameters_have_no_direction() -> None:
    assert direction_of(Field("metric", "loss", "argmin")) is None
    assert direction_of(Field("hp", "loss")) is None
