"""Charts of groups of runs: line, band and number of runs on the grid of the chart."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from board_client import ServedBoard
from lossboard.store.run_ids import run_id

VALUES = {
    "a": [3.0, 2.0, 1.0, 1.0],
    "b": [5.0, 4.0, 3.0],
    "c": [4.0, 3.0, math.nan, 5.0],
    "other": [9.0, 9.0, 9.0, 9.0],
}


@pytest.fixture
def board(tmp_path: Path) -> ServedBoard:
    served = ServedBoard(tmp_path)
    for name, values in VALUES.items():
        served.write(name, {"loss": values})
    served.poll()
    return served


def group(key: str, *names: str) -> dict[str, Any]:
    return {"key": key, "runs": [run_id(name) for name in names]}


def request(
    board: ServedBoard, groups: list[dict[str, Any]], chart: dict[str, Any] | None = None, **params: Any
) -> tuple[Any, dict[str, np.ndarray]]:
    charts = [{"key": "0", "tags": ["loss"], **(chart or {})}]
    head, tables = board.post("/api/scalars/groups", {"groups": groups, "charts": charts, **params}).frames()
    return head["charts"][0], tables[0] | tables[1]


def test_mean_and_interval_are_those_of_scipy(board: ServedBoard) -> None:
    head, columns = request(board, [group("g", "a", "b", "c")])
    assert columns["x"].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(columns["v"], [4.0, 3.0, 2.0, 3.0])
    low, high = stats.t.interval(0.95, 2, loc=4.0, scale=stats.sem([3.0, 5.0, 4.0]))
    np.testing.assert_allclose([columns["lo"][0], columns["hi"][0]], [low, high], rtol=1e-6)
    assert columns["n"].tolist() == [3, 3, 2, 2]
    assert head["lines"][0]["changes"] == [{"x": 2, "before": 3, "after": 2}]
    assert head["lines"][0]["non_finite"] == 1
    assert head["lines"][0]["last"]["n"] == 2


def test_band_of_two_runs_is_their_range(board: ServedBoard) -> None:
    _, columns = request(board, [group("g", "a", "b")])
    np.testing.assert_allclose(columns["lo"][:3], [3.0, 2.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(columns["hi"][:3], [5.0, 4.0, 3.0], rtol=1e-6)
    assert np.isnan(columns["lo"][3])  # one run is left


def test_equal_runs_give_their_curve_and_no_band(board: ServedBoard) -> None:
    board.write("again", {"loss": VALUES["a"]})
    board.poll()
    _, columns = request(board, [group("g", "a", "again")])
    assert columns["v"].tolist() == columns["lo"].tolist() == columns["hi"].tolist() == VALUES["a"]


def test_another_group_changes_no_number(board: ServedBoard) -> None:
    _, alone = request(board, [group("g", "a", "b")])
    head, both = request(board, [group("g", "a", "b"), group("h", "other"), group("empty", "gone")])
    assert [line["group"] for line in head["lines"]] == ["g", "h"]
    for name in ("v", "lo", "hi", "n"):
        np.testing.assert_array_equal(both[name][:4], alone[name])


def test_smoothing_applies_to_the_line_and_not_to_the_band(board: ServedBoard) -> None:
    _, raw = request(board, [group("g", "a", "b")])
    head, smooth = request(board, [group("g", "a", "b")], {"smoothing": {"method": "ema", "weight": 0.9}})
    assert head["lines"][0]["smoothed"]
    assert smooth["s"][1] > smooth["v"][1]
    np.testing.assert_array_equal(smooth["lo"], raw["lo"])


def test_long_series_are_sampled_at_exact_steps(tmp_path: Path) -> None:
    board = ServedBoard(tmp_path)
    values = np.random.default_rng(0).normal(size=(3, 5000))
    for i, own in enumerate(values):
        board.write(f"r{i}", {"loss": own.tolist()})
    board.poll()
    head, columns = request(board, [group("g", "r0", "r1", "r2")], {"width": 100})
    assert not head["exact"]
    mean = values.mean(axis=0)
    shown = columns["v"][~np.isnan(columns["v"])]
    assert 50 < len(shown) <= 200
    assert np.abs(shown[:, None] - mean).min(axis=1).max() < 1e-6


@pytest.mark.parametrize(
    "params",
    [
        {"center": "mode"},
        {"band": "wide"},
        {"center": "median", "band": "t"},
        {"chart": {"x": "wall"}},
        {"groups": [{"key": 1, "runs": []}]},
    ],
)
def test_invalid_parameters_are_refused(board: ServedBoard, params: dict[str, Any]) -> None:
    chart = {"key": "0", "tags": ["loss"], **params.pop("chart", {})}
    body = {"groups": [group("g", "a")], "charts": [chart], **params}
    assert board.post("/api/scalars/groups", body).status == 400


def test_unchanged_groups_are_not_sent_again(board: ServedBoard) -> None:
    body = {"groups": [group("g", "a")], "charts": [{"key": "0", "tags": ["loss"]}]}
    head, _ = board.post("/api/scalars/groups", body).frames()
    head, tables = board.post("/api/scalars/groups", {**body, "since": head["cursor"]}).frames()
    assert (head["charts"], tables) == ([{"key": "0", "unchanged": True}], [])


def test_extremes_are_those_of_the_line_within_the_range(board: ServedBoard) -> None:
    head, _ = request(board, [group("g", "a", "b")])
    assert head["lines"][0]["max"] == {"step": 0, "value": 4.0}
    assert head["lines"][0]["min"] == {"step": 3, "value": 1.0}
    head, _ = request(board, [group("g", "a", "b")], {"range": [1, 2]})
    assert (head["lines"][0]["max"]["step"], head["lines"][0]["min"]["step"]) == (1, 2)
    head, _ = request(board, [group("g", "a", "b")], {"range": [10, 20]})
    assert head["lines"][0]["min"] is None


def test_export_has_the_numbers_of_the_chart(board: ServedBoard) -> None:
    groups = [{**group("g", "a", "b", "c"), "label": "lr 3e-5"}, group("other", "other")]
    body = {"groups": groups, "charts": [{"tags": ["loss"]}]}
    rows = board.post("/api/scalars/export", {**body, "format": "csv"}).body.decode().splitlines()
    assert rows[0] == "group,tag,step,n,mean,low,high,smoothed"
    _, columns = request(board, groups)
    cells = [row.split(",") for row in rows[1:]]
    assert [cell[0] for cell in cells] == ["lr 3e-5"] * 4 + ["other"] * 4
    assert [int(cell[3]) for cell in cells] == columns["n"].tolist()
    np.testing.assert_allclose([float(cell[4]) for cell in cells], columns["v"], rtol=1e-6)
    np.testing.assert_allclose([float(cell[5]) for cell in cells[:4]], columns["lo"][:4], rtol=1e-6)
    document = json.loads(board.post("/api/scalars/export", {**body, "format": "json", "center": "median"}).body)
    assert document[0]["group"] == "lr 3e-5"
    assert document[0]["median"] == [4.0, 3.0, 2.0, 3.0]
    assert board.post("/api/scalars/export", {**body, "format": "arrow"}).status == 200
    assert board.post("/api/scalars/export", {**body, "format": "xlsx"}).status == 400
