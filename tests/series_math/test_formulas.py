"""Formulas over tags: their values, their types, and errors with a place."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lossboard import _core
from lossboard.series_math.formulas.evaluate import evaluate
from lossboard.series_math.formulas.functions import FUNCTIONS
from lossboard.series_math.formulas.parser import MAX_CALLS, MAX_CHARS, parse
from lossboard.series_math.formulas.tree import tags_of
from lossboard.series_math.points import Points
from lossboard.syntax.errors import QueryError


def series(steps: list[int], values: list[float]) -> Points:
    return Points(np.array(steps, np.int64), np.array(steps, np.float64) + 1e9, np.array(values, np.float64))


RUN = {
    "loss": series([0, 1, 2, 3], [4.0, 2.0, 1.0, 3.0]),
    "train/loss": series([0, 1, 2, 3], [2.0, 1.0, 1.0, 1.0]),
    "eval/loss": series([1, 3], [5.0, 7.0]),
    "late": series([10, 11], [1.0, 1.0]),
    "odd (x)": series([0], [1.0]),
    "sick": series([0, 1, 2], [math.nan, -1.0, 0.0]),
}


def compute(formula: str) -> tuple[list[int], list[float]]:
    points = evaluate(parse(formula), RUN.__getitem__)
    assert len(points.steps) == len(points.wall_times) == len(points.values)
    return points.steps.tolist(), points.values.tolist()


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        ("loss", [4, 2, 1, 3]),
        ("loss - `train/loss`", [2, 1, 0, 2]),
        ("loss / `train/loss` * 2", [4, 4, 2, 6]),
        ("2 + 3 * loss", [14, 8, 5, 11]),
        ("(2 + 3) * loss", [20, 10, 5, 15]),
        ("10 - loss - 1", [5, 7, 8, 6]),
        ("2 ** loss", [16, 4, 2, 8]),
        ("-loss ** 2", [-16, -4, -1, -9]),
        ("2 ** -1 * loss", [2, 1, 0.5, 1.5]),
        ("2 ** 3 ** 0 * loss", [8, 4, 2, 6]),
        ("1e1*loss + .5", [40.5, 20.5, 10.5, 30.5]),
        ("min(loss, 2)", [2, 2, 1, 2]),
        ("max(`train/loss`, loss)", [4, 2, 1, 3]),
        ("abs(loss - 2)", [2, 0, 1, 1]),
        ("log2(loss)", [2, 1, 0, math.log2(3)]),
        ("log10(loss * 25)", [2, math.log10(50), math.log10(25), math.log10(75)]),
        ("log(exp(loss))", [4, 2, 1, 3]),
        ("sqrt(loss)", [2, math.sqrt(2), 1, math.sqrt(3)]),
        ("cumsum(loss)", [4, 6, 7, 10]),
        ("cummin(loss)", [4, 2, 1, 1]),
        ("cummax(`train/loss` * -1)", [-2, -1, -1, -1]),
        ("max(1, 2) + loss", [6, 4, 3, 5]),
    ],
)
def test_formula_has_the_values_of_its_arithmetic(formula: str, values: list[float]) -> None:
    steps, found = compute(formula)
    assert steps == [0, 1, 2, 3]
    np.testing.assert_allclose(found, values)


def test_difference_starts_at_the_second_point() -> None:
    assert compute("diff(loss)") == ([1, 2, 3], [-2.0, -1.0, 2.0])
    assert compute("diff(`odd (x)`)") == ([], [])


def test_ema_is_that_of_the_charts() -> None:
    np.testing.assert_array_equal(compute("ema(loss, 0.9)")[1], _core.ema(RUN["loss"].values, 0.9))


@pytest.mark.parametrize("formula", ["`eval/loss` - loss", "-(loss - `eval/loss`)"])
def test_steps_are_those_of_the_shorter_series(formula: str) -> None:
    assert compute(formula) == ([1, 3], [3.0, 4.0])


def test_values_are_interpolated_between_own_points_and_never_beyond() -> None:
    RUN["sparse"] = series([-1, 2, 9], [0.0, 3.0, 0.0])
    assert compute("loss + sparse") == ([2], [4.0])  # the steps of the shorter series within the other
    RUN["coarse"] = series([0, 2, 4, 8, 9], [0.0, 2.0, 4.0, 0.0, 0.0])
    assert compute("loss + coarse") == ([0, 1, 2, 3], [4.0, 3.0, 3.0, 6.0])


def test_ema_is_computed_before_series_are_aligned() -> None:
    smoothed = _core.ema(RUN["loss"].values, 0.5)
    np.testing.assert_allclose(compute("ema(loss, 0.5) - `eval/loss`")[1], [smoothed[1] - 5, smoothed[3] - 7])


def test_series_without_common_steps_have_no_points() -> None:
    assert compute("loss - late") == ([], [])


def test_undefined_values_are_not_finite() -> None:
    np.testing.assert_array_equal(compute("1 / sick")[1], [math.nan, -1.0, math.inf])
    np.testing.assert_array_equal(compute("log(sick)")[1], [math.nan, math.nan, -math.inf])


def test_names_are_quoted_in_backticks() -> None:
    assert compute("`odd (x)` + 1") == ([0], [2.0])
    assert [tag.name for tag in tags_of(parse(r"`a\`b` + exp(c.d_2)"))] == ["a`b", "c.d_2"]


@pytest.mark.parametrize(
    ("formula", "message", "marked"),
    [
        ("", "Expected a tag, a number or a function, got the end of the formula.", ""),
        ("loss -", "Expected a tag, a number or a function, got the end of the formula.", ""),
        ("loss loss", "Expected an operator or the end of the formula, got 'loss'.", "loss"),
        ("(loss", "Expected ), got the end of the formula.", ""),
        ("loss)", "Expected an operator or the end of the formula, got ')'.", ")"),
        ("1 + 2", "Expected a formula over at least one tag.", "1 + 2"),
        ("expp(loss)", "Unknown function expp.", "expp"),
        ("exp()", "Expected a tag, a number or a function, got ')'.", ")"),
        ("exp(loss, 2)", "exp takes 1 argument, got 2.", "exp(loss, 2)"),
        ("ema(loss)", "ema takes 2 arguments, got 1.", "ema(loss)"),
        ("ema(2, 0.9) + loss", "ema takes a series first, got a number.", "2"),
        ("ema(loss, lr)", "ema takes a number second, got a series.", "lr"),
        ("ema(loss, 1)", "Expected a smoothing weight of at least 0 and below 1.", "1"),
        ("loss ^ 2", "Unexpected '^'.", "^"),
        ("'loss'", "Names stand in backticks.", "'loss'"),
        ("`loss", "This quote is not closed.", "`loss"),
        ("loss; 1", "Unexpected ';'.", ";"),
        ("1e999 * loss", "This number is too large.", "1e999"),
    ],
)
def test_error_has_its_place(formula: str, message: str, marked: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(formula)
    assert caught.value.message.startswith(message)
    assert formula[caught.value.start : caught.value.end] == marked


@pytest.mark.parametrize(
    ("formula", "suggestion"), [("expp(loss)", "exp"), ("a ^ 2", "**"), ("'loss'", "`loss`"), ("`loss", "`loss`")]
)
def test_error_suggests_a_repair(formula: str, suggestion: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(formula)
    assert caught.value.suggestion == suggestion


@pytest.mark.parametrize(
    "formula",
    ["x" * 1_000_000, "(" * 1000, "-" * 1000 + "x", "ema(" * 200 + "x", "x" + "+1" * 400, "x" + "**1" * 300],
    ids=lambda formula: formula[:12],
)
def test_hostile_formula_is_refused(formula: str) -> None:
    with pytest.raises(QueryError):
        parse(formula)


def test_longest_formula_is_computed() -> None:
    assert compute("loss" + "+1" * MAX_CALLS)[1] == [104.0, 102.0, 101.0, 103.0]


FRAGMENTS = [
    *("loss", "late", "sick", "`loss`", "`no`", "1", "0.5", "1e9", "+", "-", "*", "/", "**", "(", ")", ","),
    *("ema(", "exp(", "min(", "diff(", "log(", "cumsum(", "^", ";", "`", "'", ".", "_", "\\"),
    *("é", "\U0001f680", "\x00", "\ud800", " ", "\n"),
]


@given(parts=st.lists(st.sampled_from(FRAGMENTS), max_size=30), separator=st.sampled_from(["", " "]))
def test_any_tokens_give_points_or_an_error_with_a_place(parts: list[str], separator: str) -> None:
    formula = separator.join(parts)
    try:
        points = evaluate(parse(formula), lambda tag: RUN.get(tag, RUN["loss"]))
    except QueryError as error:
        assert 0 <= error.start <= error.end <= len(formula)
        assert error.message and error.explain(formula)
    else:
        assert len(points.steps) == len(points.values)


PROJECT = Path(__file__).parents[2]


def test_documented_formulas_are_valid_and_list_every_function() -> None:
    page = (PROJECT / "docs" / "charts.md").read_text("utf-8")
    [examples] = re.findall(r"```formula\n(.*?)```", page, re.DOTALL)
    for example in examples.splitlines():
        parse(example)
    assert set(re.findall(r"`(\w+)\(", page)) == set(FUNCTIONS)
    assert f"{MAX_CHARS} characters and {MAX_CALLS} operators" in page


def test_completion_in_the_browser_knows_every_function() -> None:
    completion = (PROJECT / "ui/src/kinds/scalars/formulaCompletion.ts").read_text("utf-8")
    [listed] = re.findall(r"FUNCTIONS = \[(.*?)\]", completion, re.DOTALL)
    assert re.findall(r'"(\w+)"', listed) == list(FUNCTIONS)
