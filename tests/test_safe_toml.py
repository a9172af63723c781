"""TOML of strangers: long names are refused before they are parsed, and every error is a ValueError."""

import pytest

from lossboard.safe_toml import parse_toml


@pytest.mark.parametrize(
    "text",
    [
        "a." * 70 + "a = 1",
        '"=". ' * 70 + "a = 1",
        "[" + "a." * 70 + "a]",
        "x = {" + "'a' . " * 70 + "a = 1}",
        "x = " + "9" * 5000,
        "x = " + "[" * 5000,
        "x",
    ],
)
def test_bad_documents_raise_value_errors(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_toml(text)


def test_many_dots_in_values_are_allowed() -> None:
    numbers = ", ".join(["0.25"] * 100)
    assert parse_toml(f"a.b.c = [{numbers}]\n") == {"a": {"b": {"c": [0.25] * 100}}}
