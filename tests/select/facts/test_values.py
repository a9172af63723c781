"""Values of hyperparameters, whatever they were stored as."""

from __future__ import annotations

import math

import pytest

from lossboard.select.facts.values import MAX_VALUES, FactValue, flatten, parse_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.001", 0.001),
        ("3e-5", 3e-5),
        ("-.5", -0.5),
        ("64", 64.0),
        (" 64 ", 64.0),
        ("True", True),
        ("false", False),
        ("None", None),
        ("null", None),
        ("", None),
        ("inf", math.inf),
        ("bert-base", "bert-base"),
        ("007", "007"),
        ("0", 0.0),
        ("0.1.2", "0.1.2"),
        ("12e4567", "12e4567"),
        ("123456789012345678901", "123456789012345678901"),
        ("2026-02-10", "2026-02-10"),
    ],
)
def test_texts_become_numbers_and_booleans(text: str, value: FactValue | None) -> None:
    found = parse_value(text)
    assert found == value
    assert type(found) is type(value)


def test_nested_configs_become_dotted_names() -> None:
    config = {"optim": {"lr": "1e-3", "betas": [0.9, 0.999]}, "amp": True, "note": None, "deep": {"a": {"b": 1}}}
    assert flatten(config) == {"optim.lr": 1e-3, "optim.betas": "[0.9, 0.999]", "amp": True, "deep.a.b": 1.0}


def test_huge_and_endless_configs_are_cut() -> None:
    endless: dict[str, object] = {"x": 1}
    endless["self"] = endless
    assert len(flatten(endless)) <= 30
    assert len(flatten({str(i): i for i in range(100_000)})) == MAX_VALUES
