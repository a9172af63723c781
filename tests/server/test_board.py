"""The routes of the board, over real event files."""

import json
import math
import os
import re
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from board_client import START, ServedBoard, write_scalars
from lossboard import SummaryWriter
from lossboard.events.summary import encode_event, encode_metadata, encode_simple_value
from lossboard.store.run import Damage, Health, Run
from lossboard.store.run_ids import run_id
from reference import frame, tensorboard_ema

LOSS = {"tags": ["loss"], "width": 300}


class TestBoard:
    def test_board_describes_its_runs(self, board):
        response = board.get("/api/board").json()
        assert response["title"] == "a title"
        assert response["logdirs"] == [str(board.folder)]
        assert response["kinds"]["scalars"] == 2
        assert response["loading"] is False
        assert response["writable"] is True
        first = response["runs"][0]
        assert first["id"] == run_id("a")
        assert (first["name"], first["label"], first["state"]) == ("a", "a", "finished")
        assert (first["start"], first["last"]) == (START, START + 2)
        assert first["bytes"] > 0

    def test_unchanged_board_returns_304(self, board):
        tag = board.get("/api/board").headers["etag"]
        again = board.get("/api/board", If_None_Match=tag)
        assert (again.status, again.body) == (304, b"")

    def test_loading_is_true_until_the_first_poll(self, tmp_path):
        assert ServedBoard(tmp_path).get("/api/board").json()["loading"] is True

    def test_missing_logdir_is_not_writable(self, tmp_path):
        board = ServedBoard(tmp_path / "later")
        board.poll()
        response = board.get("/api/board").json()
        assert (response["runs"], response["loading"], response["writable"]) == ([], False, False)
        board.write("a", {"loss": [1.0]})
        board.poll()
        assert [run["name"] for run in board.get("/api/board").json()["runs"]] == ["a"]

    def test_labels_omit_the_folders_of_training_tools(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("2026-02-10_012/logs/tensorboard", {"loss": [1.0]})
        board.write("2026-02-10_013/logs/tensorboard", {"loss": [1.0]})
        board.poll()
        labels = {run["name"]: run["label"] for run in board.get("/api/board").json()["runs"]}
        assert labels["2026-02-10_012/logs/tensorboard"] == "2026-02-10_012"

    def test_removed_logdir_is_missing(self, tmp_path):
        board = ServedBoard(tmp_path / "logs")
        board.write("a", {"loss": [1.0]})
        board.poll()
        assert board.get("/api/board").json()["missing"] == []
        shutil.rmtree(tmp_path / "logs")
        board.poll()
        document = board.get("/api/board").json()
        assert (document["runs"], document["missing"]) == ([], [str(tmp_path / "logs")])

    def test_tags_of_the_selected_runs(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("a", {"loss": [1.0]})
        board.write("b", {"loss": [1.0], "lr": [1.0]})
        board.poll()
        for runs, tags in (({"only": [run_id("a")]}, ["loss"]), ({"except": []}, ["loss", "lr"]), ({"only": []}, [])):
            assert board.post("/api/scalars/tags", {"runs": runs}).json()["tags"] == tags

    def test_labels_that_are_not_unique_are_full_names(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("x/logs/tensorboard", {"loss": [1.0]})
        board.write("x", {"loss": [1.0]})
        board.poll()
        labels = [run["label"] for run in board.get("/api/board").json()["runs"]]
        assert sorted(labels) == ["x", "x/logs/tensorboard"]

    def test_corrupt_records_are_described(self, board):
        file = next((board.folder / "a").iterdir())
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 0xFF
        (board.folder / "c").mkdir()
        (board.folder / "c" / file.name).write_bytes(data)
        board.poll()
        damaged = {run["name"]: run.get("damage") for run in board.get("/api/board").json()["runs"]}
        assert damaged["a"] is None
        assert damaged["c"]["where"][0]["why"]

    def test_unreadable_files_are_listed_with_their_reason(self, board, monkeypatch):
        # Root may read everything, so the tests of the store cannot always make such a file.
        unreadable = Damage("events.out.tfevents.1", 0, 0, "cannot be read: Permission denied")
        monkeypatch.setattr(Run, "health", Health(0, 0, [unreadable], []))
        run = board.get("/api/board").json()["runs"][0]
        assert run["damage"] == {
            "records": 0,
            "bytes": 0,
            "where": [{"file": unreadable.file, "offset": 0, "bytes": 0, "why": unreadable.why}],
        }

    @pytest.mark.parametrize(
        ("age", "state"), [(5, "live"), (120, "stalled"), (4000, "finished"), (-5, "live"), (-4000, "finished")]
    )
    def test_state_follows_from_the_age_of_the_last_event(self, tmp_path, age, state):
        board = ServedBoard(tmp_path)
        board.write("a", {"loss": [1.0]}, start=time.time() - age)
        board.poll()
        assert board.get("/api/board").json()["runs"][0]["state"] == state

    def test_closed_run_is_finished_and_live_after_more_events(self, tmp_path):
        board = ServedBoard(tmp_path)
        writer = SummaryWriter(tmp_path / "a")
        states = []
        for step in range(2):
            writer.add_scalar("loss", 1.0, step)
            board.poll()
            states.append(board.get("/api/board").json()["runs"][0]["state"])
            writer.close()
            board.poll()
            states.append(board.get("/api/board").json()["runs"][0]["state"])
        assert states == ["live", "finished"] * 2

    def test_run_with_a_wrong_clock_is_live_while_it_grows(self, board):
        board.write("a", {"loss": [9.0]}, first_step=10)
        board.poll()
        assert board.get("/api/board").json()["runs"][0]["state"] == "live"


class TestTags:
    def test_tags_have_the_number_of_runs(self, board):
        response = board.get("/api/tags?kind=scalars").json()
        assert response["tags"] == [{"tag": "accuracy", "runs": 1}, {"tag": "loss", "runs": 2}]

    def test_tags_follow_added_and_removed_runs(self, board):
        board.write("b", {"new": [1.0]})
        for file in (board.folder / "a").iterdir():
            file.unlink()
        (board.folder / "a").rmdir()
        board.poll()
        tags = {row["tag"]: row["runs"] for row in board.get("/api/tags?kind=scalars").json()["tags"]}
        assert tags == {"loss": 1, "new": 1}

    def test_tags_have_display_name_and_description(self, tmp_path):
        board = ServedBoard(tmp_path)
        metadata = encode_metadata("scalars", display_name="Loss", description="cross entropy")
        value = encode_simple_value("loss", 1.0, metadata=metadata)
        (tmp_path / "events.out.tfevents.1").write_bytes(frame(encode_event(START, 0, values=[value])))
        board.poll()
        (row,) = board.get("/api/tags?kind=scalars").json()["tags"]
        assert row == {"tag": "loss", "runs": 1, "display": "Loss", "description": "cross entropy"}

    def test_unknown_kind_returns_an_error(self, board):
        response = board.get("/api/tags?kind=nonsense")
        assert response.status == 400
        assert "scalars" in response.json()["error"]["message"]


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


class TestPoints:
    def test_smoothing_of_torch_logs_equals_tensorboards(self, tmp_path):
        from torch.utils.tensorboard import SummaryWriter as TorchWriter  # seconds, for this test only

        noise = np.random.default_rng(3).normal(size=1500)
        with TorchWriter(str(tmp_path)) as writer:
            for step, value in enumerate(noise):
                writer.add_scalar("loss", value, step)
        board = ServedBoard(tmp_path)
        board.poll()
        question = {"run": run_id("."), "tag": "loss", "smoothing": {"method": "ema", "weight": 0.6}}
        _, (table,) = board.post("/api/scalars/points", question).frames()
        np.testing.assert_array_equal(table["smoothed"], tensorboard_ema(noise.astype(np.float32).tolist(), 0.6))

    def at(self, board, x, axis="step", **chart):
        chart = {"key": "0", "tags": ["loss"], "x": axis, **chart}
        response = board.post("/api/scalars/at", {"x": x, "charts": [chart]})
        return response.json()["charts"][0]["lines"]

    def test_at_returns_the_nearest_point_of_each_line(self, board):
        assert [(line["run"], line["step"], line["value"]) for line in self.at(board, 1.6)] == [
            (run_id("a"), 2, 2.0),
            (run_id("b"), 1, 4.0),
        ]

    def test_at_returns_time_and_smoothed_value(self, board):
        first, _ = self.at(board, 1, smoothing={"method": "ema", "weight": 0.5})
        assert first["wall"] == START + 1
        assert first["smoothed"] == pytest.approx((0.5 * 0.5 * 4 + 0.5 * 3) / 0.75)

    def test_at_with_near_returns_the_lines_around_a_y(self, tmp_path):
        board = ServedBoard(tmp_path)
        for i in range(100):
            board.write(f"r{i}", {"loss": [float(i), float(i)]})
        board.write("short", {"loss": [50.25]})
        board.poll()
        near = {"y": 50.4, "count": 2, "reach": 0.1}
        charts = [{"key": "0", "tags": ["loss"]}]
        (chart,) = board.post("/api/scalars/at", {"x": 1, "near": near, "charts": charts}).json()["charts"]
        assert chart["total"] == 100
        assert sorted(line["value"] for line in chart["lines"]) == [49, 50, 51, 52]
        (chart,) = board.post("/api/scalars/at", {"x": 1, "near": near | {"reach": 1}, "charts": charts}).json()[
            "charts"
        ]
        assert sorted(line["value"] for line in chart["lines"]) == [50, 50.25, 51, 52]

    @pytest.mark.parametrize("x", ["step", "relative"])
    def test_at_finds_the_nearest_of_irregular_points(self, tmp_path, x):
        board = ServedBoard(tmp_path)
        for step in (0, 10, 11, 40):
            board.write("a", {"loss": [float(step)]}, first_step=step, start=START + step)
        board.poll()
        found = [self.at(board, at, axis=x)[0]["step"] for at in (-1e12, -5, 4, 6, 10.4, 10.6, 26, 39, 41, 1e12)]
        assert found == [0, 0, 0, 10, 10, 11, 40, 40, 40, 40]

    def extremes(self, board, **chart):
        response = board.post("/api/scalars/extremes", {"charts": [{"key": "0", "tags": ["loss"], **chart}]})
        return response.json()["charts"][0]["lines"]

    def test_extremes_name_the_exact_step_of_a_downsampled_series(self, tmp_path):
        board = ServedBoard(tmp_path)
        values = [0.5] * 20_000
        values[7777], values[12_134], values[15_000] = 0.25, 0.75, math.nan
        board.write("a", {"loss": values})
        board.poll()
        (line,) = self.extremes(board)
        assert line["min"] == {"x": 7777, "step": 7777, "value": 0.25}
        assert line["max"] == {"x": 12_134, "step": 12_134, "value": 0.75}
        assert line["non_finite"] == {"x": 15_000, "step": 15_000, "value": "NaN"}

    def test_extremes_are_those_of_the_range(self, tmp_path):
        board = ServedBoard(tmp_path)
        board.write("a", {"loss": [9.0, 2.0, 3.0, 1.0]})
        board.write("b", {"loss": [5.0]})
        board.poll()
        a, b = self.extremes(board, range=[1, 2])
        assert (a["min"]["step"], a["max"]["step"], a["non_finite"]) == (1, 2, None)
        assert (b["min"], b["max"]) == (None, None)
        a, b = self.extremes(board, x="relative", range=[2.5, 3])
        assert a["min"] == {"x": 3, "step": 3, "value": 1}

    def test_points_returns_one_complete_series(self, board):
        question = {"run": run_id("a"), "tag": "loss", "range": [1, 2]}
        head, (table,) = board.post("/api/scalars/points", question).frames()
        assert head["points"] == 2
        assert table["step"].tolist() == [1, 2]
        assert table["value"].tolist() == [3, 2]

    def test_points_as_csv(self, board):
        response = board.post("/api/scalars/points", {"run": run_id("a"), "tag": "loss", "format": "csv"})
        lines = response.body.decode().split("\r\n")
        assert lines[0] == "Wall time,Step,Value,Smoothed"
        assert lines[1] == f"{START},0,4.0,4.0"
        assert response.headers["content-disposition"] == 'attachment; filename="a-loss.csv"'

    def test_points_as_json(self, board):
        response = board.post("/api/scalars/points", {"run": run_id("a"), "tag": "loss", "format": "json"})
        assert response.json()["value"] == [4, 3, 2]

    @pytest.mark.parametrize("question", [{"run": "gone", "tag": "loss"}, {"run": run_id("a"), "tag": "gone"}, {}])
    def test_points_of_an_unknown_tag_return_404(self, board, question):
        response = board.post("/api/scalars/points", question)
        assert (response.status, response.error) == (404, "missing")


class TestChanges:
    def edit(self, board, **fields):
        return board.post("/api/runs/edit", {"ids": [run_id("a")], "set": fields})

    def run(self, board):
        return board.get("/api/board").json()["runs"][0]

    def test_edit_sets_names_and_notes(self, board):
        assert (
            self.edit(board, alias="best", note="kept", tags=["x"], colour=3, hidden=True, archived=False).status == 200
        )
        assert {"alias": "best", "note": "kept", "tags": ["x"], "colour": 3, "hidden": True}.items() <= self.run(
            board
        ).items()
        self.edit(board, alias=None, colour="#00ff00")
        assert "alias" not in self.run(board)
        assert self.run(board)["colour"] == "#00ff00"

    @pytest.mark.parametrize(
        "fields",
        [{"path": "/etc"}, {"colour": "red; x"}, {"colour": 12}, {"hidden": "yes"}, {"tags": "x"}, {"alias": 1}, {}],
    )
    def test_invalid_fields_return_an_error(self, board, fields):
        assert self.edit(board, **fields).status == 400
        assert not (board.folder / ".lossboard.json").exists()

    def test_second_board_sees_changes(self, board):
        self.edit(board, alias="best")
        other = ServedBoard(board.folder)
        other.poll()
        assert self.run(other)["alias"] == "best"
        other.post("/api/runs/edit", {"ids": [run_id("a")], "set": {"note": "from the other"}})
        board.poll()
        assert (self.run(board)["alias"], self.run(board)["note"]) == ("best", "from the other")

    def test_views_are_saved_and_deleted(self, board):
        board.post("/api/views/save", {"name": "mine", "state": "?x=1"})
        assert board.get("/api/board").json()["views"] == {"mine": "?x=1"}
        board.post("/api/views/delete", {"name": "mine"})
        assert board.get("/api/board").json()["views"] == {}

    def test_deleted_runs_are_restored(self, board):
        undo = board.post("/api/runs/delete", {"ids": [run_id("a")]}).json()["undo"]
        board.poll()
        assert [run["name"] for run in board.get("/api/board").json()["runs"]] == ["b"]
        assert board.post("/api/runs/undelete", {"undo": undo}).status == 200
        board.poll()
        assert [run["name"] for run in board.get("/api/board").json()["runs"]] == ["a", "b"]
        assert board.post("/api/runs/undelete", {"undo": undo}).status == 404

    def test_trash_lists_deleted_runs_and_removes_them(self, board):
        self.edit(board, alias="best")
        board.post("/api/runs/delete", {"ids": [run_id("a"), run_id("b")]})
        assert board.get("/api/board").json()["trashed"] == 2
        listed = {run["name"]: run for run in board.get("/api/trash").json()["runs"]}
        assert set(listed) == {"best", "b"}
        assert listed["b"]["path"] == str(board.folder / "b")
        assert board.post("/api/trash/remove", {"undo": listed["b"]["id"]}).status == 200
        assert board.post("/api/trash/remove", {"undo": listed["b"]["id"]}).status == 404
        assert board.post("/api/runs/undelete", {"undo": listed["best"]["id"]}).status == 200
        assert board.get("/api/trash").json()["runs"] == []
        board.poll()
        assert [run["name"] for run in board.get("/api/board").json()["runs"]] == ["a"]

    def test_read_only_logdir_returns_an_error(self, board, monkeypatch):
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # for root, too
        response = board.get("/api/board").json()
        assert (response["writable"], "read-only" in response["why_not"]) == (False, True)
        assert self.edit(board, alias="x").status == 409
        assert not (board.folder / ".lossboard.json").exists()


class TestErrors:
    HOSTILE = (
        "../../etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "/etc/passwd",
        "a\0b",
        "a/../../b",
        "\\..\\..",
        ".",
        "",
        "💥",
        "x" * 5000,
    )

    @pytest.mark.parametrize("hostile", HOSTILE)
    def test_id_is_never_used_as_a_path(self, board, hostile):
        (board.folder.parent / "outside").mkdir(exist_ok=True)
        before = set(board.folder.rglob("*"))
        for path, question in [
            ("/api/scalars/points", {"run": hostile, "tag": hostile}),
            ("/api/runs/delete", {"ids": [hostile]}),
            ("/api/runs/undelete", {"undo": hostile}),
            ("/api/runs/undelete", {"undo": f"0-{hostile}"}),
            ("/api/runs/undelete", {"undo": "7-abcdef"}),
            ("/api/trash/remove", {"undo": f"0-{hostile}"}),
        ]:
            response = board.post(path, question)
            assert response.status in (400, 404), path
            assert str(board.folder) not in response.body.decode()
        assert set(board.folder.rglob("*")) == before

    @pytest.mark.parametrize("hostile", HOSTILE)
    def test_url_is_never_used_as_a_path(self, board, hostile):
        for path in (f"/{hostile}", f"/assets/{hostile}", f"/api/{hostile}"):
            assert board.get(path).status in (200, 404)
            assert b"root:" not in board.get(path).body

    @pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b"\xff", b"[" * 100_000, b'{"charts": null}'])
    def test_invalid_body_returns_400(self, board, body):
        response = board.post("/api/scalars/charts", body)
        assert (response.status, response.error) == (400, "question")

    def test_internal_error_is_logged_and_not_sent(self, board, monkeypatch, caplog):
        def fail(*_):
            raise RuntimeError("secret detail")

        monkeypatch.setattr("lossboard.server.board_endpoints.describe_board", fail)
        response = board.get("/api/board")
        assert (response.status, response.error) == (500, "fault")
        assert b"secret" not in response.body
        assert "secret detail" in caplog.text

    def test_wrong_method_and_unknown_path_return_errors(self, board):
        assert board.post("/api/board", {}).error == "method"
        assert board.get("/api/scalars/charts").error == "method"
        assert board.get("/api/nothing").error == "address"

    def test_hostile_names_are_returned_as_json_only(self, tmp_path):
        board = ServedBoard(tmp_path)
        tag = "<script>alert(1)</script>\u2028\"'"
        board.write("<img src=x onerror=alert(1)>", {tag: [1.0]})
        board.poll()
        response = board.get("/api/tags?kind=scalars")
        assert response.headers["content-type"] == "application/json"
        assert response.json()["tags"][0]["tag"] == tag
        assert board.get("/api/board").json()["runs"][0]["name"] == "<img src=x onerror=alert(1)>"


def test_every_route_is_listed_and_documented(board):
    routes = board.get("/api").json()["routes"]
    documented = (Path(__file__).parents[2] / "docs" / "http.md").read_text()
    for route in routes:
        assert route["summary"]
        assert re.search(rf"[` ]{re.escape(route['path'])}[`? ]", documented), route


def test_path_prefix_applies_to_all_routes(tmp_path):
    board = ServedBoard(tmp_path, prefix="/deep/board")
    board.poll()
    assert board.get("/deep/board/api/board").status == 200
    assert board.get("/api/board").status == 404
    assert board.get("/deep/board").headers["location"] == "/deep/board/"
    assert b"not built" in board.get("/deep/board/").body


def test_equal_requests_are_served_from_the_cache(board, monkeypatch):
    board.charts(LOSS)
    monkeypatch.setattr("lossboard.kinds.scalars.api.build", None)
    head, _ = board.charts(LOSS)
    assert head["charts"][0]["points"] == 5


def test_json_has_no_nan_literal(board):
    assert "NaN" not in json.dumps(board.get("/api/board").json())
