"""Formulas, baselines and best points over HTTP: in charts, groups, tooltips, tables and files."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from board_client import ServedBoard
from lossboard.store.run_ids import run_id

GAP = "`eval/loss` - `train/loss`"
RUNS = {
    "a": {"train/loss": [4.0, 2.0, 1.0], "eval/loss": [5.0, 4.0, 4.5], "acc": [0.125, 0.875, 0.5]},
    "b": {"train/loss": [3.0, 3.0, 3.0], "eval/loss": [3.0, 5.0, 4.0]},
    "plain": {"acc": [0.2, 0.3]},
}


@pytest.fixture
def board(tmp_path: Path) -> ServedBoard:
    served = ServedBoard(tmp_path)
    for name, series in RUNS.items():
        served.write(name, series)
    served.poll()
    return served


def chart(board: ServedBoard, route: str = "charts", /, *, chart: dict[str, Any], **params: Any) -> tuple[Any, Any]:
    """Returns the head of a chart and its columns."""
    response = board.post(f"/api/scalars/{route}", {"charts": [{"key": "0", **chart}], **params})
    head, tables = response.frames()
    return head["charts"][0], tables[0] | tables[1]


def lines(head: Any, columns: Any) -> dict[tuple[str, str], list[float]]:
    size = head["cells"]
    return {
        (line.get("run", line.get("group")), line["tag"]): [
            value for value in columns["v"][i * size : (i + 1) * size].tolist() if value == value
        ]
        for i, line in enumerate(head["lines"])
    }


def test_formula_has_a_line_for_each_run_with_its_tags(board: ServedBoard) -> None:
    head, columns = chart(board, chart={"tags": ["acc"], "formulas": [GAP]})
    assert lines(head, columns) == {
        (run_id("a"), "acc"): [0.125, 0.875, 0.5],
        (run_id("a"), f"={GAP}"): [1.0, 2.0, 3.5],
        (run_id("b"), f"={GAP}"): [0.0, 2.0, 1.0],
        (run_id("plain"), "acc"): pytest.approx([0.2, 0.3]),
    }
    assert "problems" not in head


def test_formula_is_the_same_in_the_tooltip_the_table_and_the_file(board: ServedBoard) -> None:
    query = {"formulas": [GAP], "smoothing": {"method": "ema", "weight": 0.5}}
    at = board.post("/api/scalars/at", {"x": 2, "charts": [query]}).json()["charts"][0]
    assert [(line["tag"], line["step"], line["value"]) for line in at["lines"]] == [
        (f"={GAP}", 2, 3.5),
        (f"={GAP}", 2, 1),
    ]
    extremes = board.post("/api/scalars/extremes", {"charts": [query]}).json()["charts"][0]["lines"]
    assert [line["max"]["value"] for line in extremes] == [3.5, 2.0]
    _, tables = board.post("/api/scalars/points", {"run": run_id("a"), "formula": GAP}).frames()
    assert tables[0]["value"].tolist() == [1.0, 2.0, 3.5]
    file = board.post("/api/scalars/export", {"charts": [query], "format": "csv"}).body.decode()
    rows = list(csv.DictReader(io.StringIO(file)))
    assert [float(row["value"]) for row in rows if row["run"] == "a"] == [1.0, 2.0, 3.5]
    assert {row["tag"] for row in rows} == {GAP}


def test_formula_of_groups_is_the_mean_of_the_formulas(board: ServedBoard) -> None:
    groups = [{"key": "g", "runs": [run_id("a"), run_id("b"), run_id("plain")]}]
    head, columns = chart(board, "groups", chart={"tags": [], "formulas": [GAP, "nope"]}, groups=groups)
    assert lines(head, columns) == {("g", f"={GAP}"): [0.5, 2.0, 2.25]}
    assert head["lines"][0]["runs"] == [run_id("a"), run_id("b")]
    assert [problem["formula"] for problem in head["problems"]] == ["nope"]


@pytest.mark.parametrize(
    ("formula", "message", "marked", "suggestions"),
    [
        ("exp(loss)", "No selected run has the tag loss.", "loss", ["`train/loss`", "`eval/loss`"]),
        ("exp(`train/los`)", "No selected run has the tag train/los.", "`train/los`", ["`train/loss`"]),
        ("exp(train/loss)", "No selected run has the tag train.", "train/loss", ["`train/loss`"]),
        ("acc + zebra", "No selected run has the tag zebra.", "zebra", []),
        ("acc +", "Expected a tag, a number or a function, got the end of the formula.", "", []),
    ],
)
def test_formula_without_lines_says_why(
    board: ServedBoard, formula: str, message: str, marked: str, suggestions: list[str]
) -> None:
    head, _ = chart(board, chart={"tags": ["acc"], "formulas": [formula]})
    assert len(head["lines"]) == 2  # the other lines are there
    [problem] = head["problems"]
    assert problem["message"].startswith(message)
    assert formula[problem["start"] : problem["end"]] == marked
    assert sorted(problem["suggestions"]) == sorted(suggestions)
    asked = board.post("/api/scalars/formula", {"formula": formula}).json()["problem"]
    assert {"formula": formula, **asked} == problem


def test_tags_that_no_run_has_together_are_named(board: ServedBoard) -> None:
    board.write("late", {"other": [1.0]})
    board.poll()
    head, _ = chart(board, chart={"tags": [], "formulas": ["other - acc"]})
    assert head["problems"][0]["message"] == "No selected run has common steps of all tags of this formula: other, acc."


def test_valid_formula_has_no_problem(board: ServedBoard) -> None:
    assert board.post("/api/scalars/formula", {"formula": GAP}).json()["problem"] is None


def test_hostile_formula_is_a_problem_of_its_chart(board: ServedBoard) -> None:
    head, _ = chart(board, chart={"tags": ["acc"], "formulas": ["(" * 100_000]})
    assert head["problems"][0]["message"].startswith("The formula has 100000 characters.")


def test_formula_changes_when_one_of_its_tags_grows(board: ServedBoard) -> None:
    query = {"key": "0", "tags": [], "formulas": [GAP]}
    since = board.post("/api/scalars/charts", {"charts": [query]}).frames()[0]["cursor"]
    assert chart_of(board, query, since) == {"key": "0", "unchanged": True}
    board.write("a", {"eval/loss": [0.0]}, first_step=3)
    board.poll()
    assert "lines" in chart_of(board, query, since)


def chart_of(board: ServedBoard, query: dict[str, Any], since: int) -> Any:
    return board.post("/api/scalars/charts", {"charts": [query], "since": since}).frames()[0]["charts"][0]


def test_too_many_formulas_are_rejected(board: ServedBoard) -> None:
    query = {"key": "0", "tags": ["acc"], "formulas": [f"acc + {i}" for i in range(50)]}
    response = board.post("/api/scalars/charts", {"charts": [query]})
    assert response.status == 400
    assert "at most 50 tags and formulas" in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("mode", "own", "other"),
    [("difference", [1.0, -1.0, -2.0], [0.0] * 3), ("ratio", [4 / 3, 2 / 3, 1 / 3], [1.0] * 3)],
)
def test_baseline_is_subtracted_or_divided_by(
    board: ServedBoard, mode: str, own: list[float], other: list[float]
) -> None:
    baseline = {"run": run_id("b"), "mode": mode}
    head, columns = chart(board, chart={"tags": ["train/loss", "acc"]}, baseline=baseline)
    # The baseline has no acc, so it has no lines.
    assert lines(head, columns) == {
        (run_id("a"), "train/loss"): pytest.approx(own),
        (run_id("b"), "train/loss"): other,
    }
    _, tables = board.post(
        "/api/scalars/points", {"run": run_id("a"), "tag": "train/loss", "baseline": baseline}
    ).frames()
    np.testing.assert_allclose(tables[0]["value"], own)
    at = board.post("/api/scalars/at", {"x": 2, "charts": [{"tags": ["train/loss"]}], "baseline": baseline}).json()
    assert at["charts"][0]["lines"][0]["value"] == pytest.approx(own[2])


def test_baseline_need_not_be_selected_and_applies_to_formulas_and_groups(board: ServedBoard) -> None:
    baseline = {"run": run_id("b"), "mode": "difference"}
    only = {"only": [run_id("a")]}
    head, columns = chart(board, chart={"tags": [], "formulas": [GAP]}, runs=only, baseline=baseline)
    assert lines(head, columns) == {(run_id("a"), f"={GAP}"): [1.0, 0.0, 2.5]}
    groups = [{"key": "g", "runs": [run_id("a"), run_id("b")]}]
    head, columns = chart(board, "groups", chart={"tags": ["train/loss"]}, groups=groups, baseline=baseline)
    assert lines(head, columns) == {("g", "train/loss"): [0.5, -0.5, -1.0]}


def test_baseline_compares_only_steps_within_it(board: ServedBoard) -> None:
    board.write("long", {"acc": [1.0, 1.0, 1.0, 1.0]})
    board.poll()
    baseline = {"run": run_id("plain"), "mode": "difference"}
    head, columns = chart(board, chart={"tags": ["acc"]}, runs={"only": [run_id("long")]}, baseline=baseline)
    assert lines(head, columns) == {(run_id("long"), "acc"): pytest.approx([0.8, 0.7])}


def test_chart_changes_when_the_baseline_grows(board: ServedBoard) -> None:
    query = {"charts": [{"key": "0", "tags": ["acc"]}], "runs": {"only": [run_id("a")]}}
    query["baseline"] = {"run": run_id("plain"), "mode": "ratio"}
    since = board.post("/api/scalars/charts", query).frames()[0]["cursor"]
    board.write("plain", {"acc": [0.5]}, first_step=2)
    board.poll()
    assert "lines" in board.post("/api/scalars/charts", query | {"since": since}).frames()[0]["charts"][0]


@pytest.mark.parametrize("baseline", [5, {}, {"run": "x"}, {"run": "x", "mode": "sum"}])
def test_invalid_baseline_is_rejected(board: ServedBoard, baseline: object) -> None:
    response = board.post("/api/scalars/charts", {"charts": [], "baseline": baseline})
    assert response.status == 400 and "difference or ratio" in response.json()["error"]["message"]


def test_unknown_baseline_is_not_found(board: ServedBoard) -> None:
    baseline = {"run": "gone", "mode": "ratio"}
    assert board.post("/api/scalars/charts", {"charts": [], "baseline": baseline}).status == 404


def test_best_point_is_exact_and_its_direction_is_guessed(board: ServedBoard) -> None:
    head, _ = chart(board, chart={"tags": ["train/loss", "acc"], "best": "auto"}, runs={"only": [run_id("a")]})
    assert [line["best"] for line in head["lines"]] == [
        {"x": 2.0, "step": 2, "value": 1.0, "direction": "min"},
        {"x": 1.0, "step": 1, "value": 0.875, "direction": "max"},
    ]
    head, _ = chart(board, chart={"tags": ["train/loss"], "best": "max", "range": [1, 2]}, runs={"only": [run_id("a")]})
    assert head["lines"][0]["best"] == {"x": 1.0, "step": 1, "value": 2.0, "direction": "max"}


def test_best_of_a_group_is_that_of_its_line(board: ServedBoard) -> None:
    groups = [{"key": "g", "runs": [run_id("a"), run_id("b")]}]
    head, _ = chart(board, "groups", chart={"tags": ["train/loss"], "best": "auto"}, groups=groups)
    assert head["lines"][0]["best"] == {"x": 2, "step": 2, "value": 2.0, "direction": "min"}


def test_tag_without_a_known_direction_has_no_best(board: ServedBoard) -> None:
    board.write("odd", {"grad_norm": [1.0]})
    board.poll()
    head, _ = chart(board, chart={"tags": ["grad_norm"], "best": "auto"})
    assert "best" not in head["lines"][0]
    assert "best" not in chart(board, chart={"tags": ["acc"]})[0]["lines"][0]
