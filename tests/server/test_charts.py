"""The routes of charts, over real event files."""

import math

import numpy as np
import pytest

from board_client import START, ServedBoard, write_scalars
from lossboard import SummaryWriter
from lossboard.store.run_ids import run_id

LOSS = {"tags": ["loss"], "width": 300}


class TestCharts:
    def test_two_runs_share_one_grid(self, board):
        head, (grid, cells) = board.charts(LOSS)
        (chart,) = head["charts"]
        assert (chart["exact"], chart["points"], chart["drawn"], chart["cells"]) == (True, 5, 5, 3)
        assert [line["run"] for line in chart["lines"]] == [run_id("a"), run_id("b")]
        assert grid["x"].tolist() == [0, 1, 2]
        np.testing.assert_array_equal(cells["v"], [4, 3, 2, 5, 4, math.nan])
        assert set(cells) == {"v"}
        last = {"step": 2, "wall": START + 2, "relative": 2.0, "value": 2.0, "smoothed": 2.0}
        assert chart["lines"][0]["last"] == last

    def test_smoothing_uses_the_full_series(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("a", {"loss": [float(i % 7) for i in range(2000)]})
        board.poll()
        smoothed = {"smoothing": {"method": "ema", "weight": 0.9}}
        _, (_, thin) = board.charts({**LOSS, **smoothed, "width": 10})
        _, (_, full) = board.charts({**LOSS, **smoothed, "width": 2000})
        assert set(thin) == {"v", "s", "lo", "hi"}
        assert len(thin["v"]) == 20
        assert thin["s"][-1] == full["s"][-1]
        assert (thin["lo"].min(), thin["hi"].max()) == (0, 6)

    def test_short_and_smooth_series_are_not_smoothed_by_default(self, tmp_path):
        board = ServedBoard(tmp_path)
        rate, loss = [1 - i / 100 for i in range(100)], [float(i * 7 % 10) for i in range(100)]
        board.write("a", {"lr": rate, "loss": loss, "eval": loss[:20]})
        board.poll()
        smoothing = {"method": "ema", "weight": 0.6, "only_noisy": True}
        head, (_, cells) = board.charts({"tags": ["lr", "loss", "eval"], "smoothing": smoothing})
        (chart,) = head["charts"]
        assert [line["smoothed"] for line in chart["lines"]] == [False, True, False]
        assert chart["lines"][0]["last"]["smoothed"] == pytest.approx(0.01)
        np.testing.assert_array_equal(cells["s"][:100], cells["v"][:100])
        _, (_, cells) = board.charts({"tags": ["lr"], "smoothing": smoothing})
        assert set(cells) == {"v"}

    def test_earlier_attempts_are_smoothed_like_the_current_one(self, tmp_path):
        board = ServedBoard(tmp_path)
        loss = [float(i * 7 % 10) for i in range(100)]
        board.write("a", {"loss": loss[:60], "lr": [1.0] * 60})
        write_scalars(tmp_path / "a", {"loss": loss[:80], "lr": [1.0] * 80}, start=START + 100, first_step=40)
        board.poll()
        smoothing = {"method": "ema", "weight": 0.6, "only_noisy": True}
        head, _ = board.charts({"tags": ["loss", "lr"], "attempts": True, "smoothing": smoothing})
        lines = [(line["tag"], line["points"], line["smoothed"]) for line in head["charts"][0]["lines"]]
        assert lines == [("loss", 120, True), ("loss", 20, True), ("lr", 120, False), ("lr", 20, False)]

    def test_runs_parameter_selects_runs(self, board):
        head, _ = board.charts(LOSS, runs={"only": [run_id("b"), "gone"]})
        assert [line["run"] for line in head["charts"][0]["lines"]] == [run_id("b")]
        head, _ = board.charts(LOSS, runs={"except": [run_id("b")]})
        assert [line["run"] for line in head["charts"][0]["lines"]] == [run_id("a")]

    def test_chart_may_have_several_tags(self, board):
        head, _ = board.charts({"tags": ["loss", "accuracy"]})
        assert [(line["run"], line["tag"]) for line in head["charts"][0]["lines"]] == [
            (run_id("a"), "loss"),
            (run_id("a"), "accuracy"),
            (run_id("b"), "loss"),
        ]

    @pytest.mark.parametrize(
        ("x", "expected"),
        [("relative", [0, 1, 2]), ("wall", [START, START + 1, START + 2]), ({"tag": "accuracy"}, [0.1, 0.2, 0.3])],
    )
    def test_each_x_axis_is_supported(self, board, x, expected):
        _, (grid, _) = board.charts({**LOSS, "x": x}, runs={"only": [run_id("a")]})
        assert grid["x"] == pytest.approx(expected)

    def test_unchanged_charts_are_not_sent_again(self, board):
        question = [LOSS, {"tags": ["accuracy"]}]
        head, tables = board.charts(*question)
        assert len(tables) == 4
        head, tables = board.charts(*question, since=head["cursor"])
        assert head["charts"] == [{"key": "0", "unchanged": True}, {"key": "1", "unchanged": True}]
        board.write("b", {"loss": [1.0]}, first_step=2)
        board.poll()
        head, tables = board.charts(*question, since=head["cursor"])
        assert [chart.get("unchanged", False) for chart in head["charts"]] == [False, True]
        assert len(tables) == 2

    def test_non_finite_values_are_marks(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("a", {"loss": [1.0, math.nan, math.inf, -math.inf]})
        board.poll()
        head, (_, cells) = board.charts(LOSS)
        (line,) = head["charts"][0]["lines"]
        assert [(mark["step"], mark["what"]) for mark in line["marks"]] == [(1, "nan"), (2, "inf"), (3, "-inf")]
        assert line["last"]["value"] == "-Infinity"
        np.testing.assert_array_equal(cells["v"], [1, math.nan, math.nan, math.nan])

    def test_restart_is_marked_and_attempts_are_optional(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("a", {"loss": [9.0, 8.0, 7.0, 6.0]})
        board.poll()
        board.write("a", {"loss": [5.0, 4.0]}, first_step=2, start=START + 50)
        board.poll()
        head, (_, cells) = board.charts(LOSS)
        assert cells["v"].tolist() == [9, 8, 5, 4]
        assert head["charts"][0]["lines"][0]["restarts"] == [2]
        head, (_, cells) = board.charts({**LOSS, "attempts": True})
        now, before = head["charts"][0]["lines"]
        assert (now.get("hidden"), before["hidden"]) == (None, True)
        np.testing.assert_array_equal(cells["v"].reshape(2, 4)[1], [math.nan, math.nan, 7, 6])

    def test_equal_steps_are_no_restart(self, tmp_path):
        board = ServedBoard(tmp_path)
        for first_step, values in (0, [9.0, 8.0]), (1, [7.0, 6.0]), (2, [5.0]), (2, [4.0, 3.0]):
            board.write("a", {"loss": values}, first_step=first_step)
        board.poll()
        head, (_, cells) = board.charts({**LOSS, "attempts": True})
        (line,) = head["charts"][0]["lines"]
        assert (line["restarts"], cells["v"].tolist()) == ([], [9, 7, 4, 3])

    def test_many_points_per_step_are_one_line(self, tmp_path):
        """YOLOv8 logs each batch of an epoch at step = epoch."""
        with SummaryWriter(tmp_path / "a") as writer:
            for batch in range(300):
                writer.add_scalar("loss", 1 / (batch + 1), batch // 100)
        board = ServedBoard(tmp_path)
        board.poll()
        head, (grid, _) = board.charts({**LOSS, "attempts": True})
        (line,) = head["charts"][0]["lines"]
        assert (line["restarts"], grid["x"].tolist()) == ([], [0, 1, 2])

    def test_runs_without_wall_times_do_not_stretch_the_wall_time_axis_to_1970(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("timed", {"loss": [1.0, 2.0, 3.0]})
        board.write("untimed", {"loss": [1.0, 2.0]}, start=0)
        board.poll()
        by_wall = {**LOSS, "x": "wall", "range": None}
        for max_lines in (2, 1):
            head, *_ = board.charts({**by_wall, "max_lines": max_lines})
            assert head["charts"][0]["x"] == [START, START + 2]
        head, _ = board.charts(by_wall, runs={"only": [run_id("untimed")]})
        assert head["charts"][0]["x"] == [0, 1]

    def test_lines_beyond_the_limit_are_a_density(self, tmp_path):
        board = ServedBoard(tmp_path)
        for i in range(8):
            board.write(f"r{i}", {"loss": [float(i), float(i)]}, start=START + i)
        board.poll()
        question = {**LOSS, "width": 40, "height": 20, "max_lines": 3, "emphasised": [run_id("r0")]}
        head, (_, _, image, extremes) = board.charts(question)
        (chart,) = head["charts"]
        assert {line["run"] for line in chart["lines"]} == {run_id("r0"), run_id("r6"), run_id("r7")}
        density = chart["density"]
        assert (density["lines"], density["width"], density["height"]) == (5, 20, 10)
        assert image["count"].reshape(10, 20).sum(axis=0).tolist() == [5] * 20
        # Two points at both ends, of the runs r1 to r5.
        assert (extremes["lo"][[0, -1]].tolist(), extremes["hi"][[0, -1]].tolist()) == ([1, 1], [5, 5])
        assert np.isnan(extremes["lo"][1:-1]).all()

    def test_deferred_density_leaves_the_lines_and_the_x_range_as_they_are(self, tmp_path, monkeypatch):
        board = ServedBoard(tmp_path)
        for i in range(8):
            board.write(f"r{i}", {"loss": [float(i)] * (9 - i)}, start=START + i)
        board.write("other", {"accuracy": [1.0]}, start=START + 9)
        board.poll()
        question = {**LOSS, "max_lines": 3, "emphasised": [run_id("r0")], "range": None}
        whole, _ = board.charts(question)
        deferred = {**question, "defer_density": True}
        assert board.charts(deferred)[0] == whole, "few lines are not deferred"
        monkeypatch.setattr("lossboard.kinds.scalars.charts._MIN_DEFERRED_LINES", 1)
        board.write("new", {"accuracy": [1.0]})
        board.poll()
        (chart,), tables = board.charts(deferred)[0]["charts"], board.charts(deferred)[1]
        expected = whole["charts"][0]
        assert [line["run"] for line in chart["lines"]] == [line["run"] for line in expected["lines"]]
        assert (chart["x"], chart["more"], len(tables)) == (expected["x"], True, 2)

    def test_restarts_of_one_run_do_not_displace_lines(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("steady", {"loss": [1.0, 1.0, 1.0]})
        for start in range(6):
            board.write("restarted", {"loss": [float(start)] * 3}, start=START + 10 * start)
        board.poll()
        head, _ = board.charts({**LOSS, "attempts": True, "max_lines": 3})
        (chart,) = head["charts"]
        current = {line["run"] for line in chart["lines"] if "hidden" not in line}
        assert current == {run_id("steady"), run_id("restarted")}
        assert (len(chart["lines"]), chart["density"]["lines"]) == (3, 4)

    @pytest.mark.parametrize(
        "chart",
        [
            {"tags": "loss"},
            {"tags": [1]},
            {"tags": ["loss"], "width": 0},
            {"tags": ["loss"], "width": 1e9},
            {"tags": ["loss"], "range": [2, 1]},
            {"tags": ["loss"], "range": ["a", "b"]},
            {"tags": ["loss"], "x": "sideways"},
            {"tags": ["loss"], "smoothing": {"method": "ema", "weight": 2}},
            {"tags": ["loss"], "max_lines": 0},
            {"tags": ["loss"], "y": {"scale": "cubic"}},
            {"tags": ["t"] * 51},
            7,
        ],
    )
    def test_invalid_parameters_return_an_error(self, board, chart):
        response = board.post("/api/scalars/charts", {"charts": [chart]})
        assert response.status == 400
        assert response.json()["error"]["message"].startswith("Expected")

    def test_unknown_tag_returns_an_empty_chart(self, board):
        head, (grid, cells) = board.charts({"tags": ["nothing"]})
        assert head["charts"][0]["lines"] == []
        assert (len(grid["x"]), len(cells["v"])) == (0, 0)
