import argparse

import pytest

from lossboard.train.config import Config, add_flags
from lossboard.train.precision import PRECISIONS, TRAITS
from lossboard.train.schedules import SCHEDULES, lr_factor, total_rate


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


def test_flag_takes_and_describes_every_schedule_of_the_table():
    parser = argparse.ArgumentParser()
    add_flags(parser)
    (flag,) = (action for action in parser._actions if action.dest == "schedule")
    assert flag.metavar == "{" + ",".join(SCHEDULES) + "}"
    assert [name for name, each in SCHEDULES.items() if f"{name} {each.description}" not in (flag.help or "")] == []


def test_every_schedule_stays_between_0_and_the_peak():
    for name in SCHEDULES:
        assert 0 <= lr_factor(Config.from_mapping({"schedule": name}), 50, total_steps=100) <= 1


@pytest.mark.parametrize("total_steps", [7, 20_500])
def test_total_rate_is_the_sum_of_the_rates(total_steps):
    config = Config(learning_rate=1e-3, warmup=0.1, schedule="cosine")
    total = 1e-3 * sum(lr_factor(config, step, total_steps=total_steps) for step in range(total_steps))
    assert total_rate(config, total_steps=total_steps) == pytest.approx(total, rel=0.02)


def test_every_precision_choice_has_traits():
    assert set(PRECISIONS) == set(TRAITS)
