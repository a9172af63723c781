from typing import get_args

import pytest

from lossboard.train.config import Config
from lossboard.train.precision import PRECISIONS, TRAITS
from lossboard.train.schedules import Schedule, lr_factor


@pytest.mark.parametrize(
    ("settings", "factors"),
    [
        ({"schedule": "constant", "warmup": 0.0}, [1, 1, 1, 1, 1]),
        ({"schedule": "constant", "warmup": 0.4}, [0.5, 1, 1, 1, 1]),
        ({"schedule": "linear", "warmup": 0.0}, [1, 0.8, 0.6, 0.4, 0.2]),
        ({"schedule": "linear", "warmup": 0.2}, [1, 1, 0.75, 0.5, 0.25]),
        ({"schedule": "cosine", "warmup": 0.2}, [1, 1, 0.853553, 0.5, 0.146447]),
        (
            {"schedule": "exponential", "warmup": 0.0, "decay_steps": 2, "decay_rate": 0.25},
            [1, 0.5, 0.25, 0.125, 0.0625],
        ),
        (
            {"schedule": "exponential", "warmup": 0.0, "decay_steps": 2, "decay_rate": 0.25, "staircase": True},
            [1, 1, 0.25, 0.25, 0.0625],
        ),
    ],
)
def test_lr_factor_follows_the_schedule(settings, factors):
    config = Config.from_mapping(settings)
    assert [lr_factor(config, step, total_steps=5) for step in range(5)] == pytest.approx(factors, abs=1e-6)


def test_every_schedule_choice_has_a_function():
    for name in get_args(Schedule):
        assert 0 <= lr_factor(Config.from_mapping({"schedule": name}), 50, total_steps=100) <= 1


def test_every_precision_choice_has_traits():
    assert set(PRECISIONS) == set(TRAITS)
