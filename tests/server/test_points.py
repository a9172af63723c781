"""The routes of single points and complete series, over real event files."""

import math

import numpy as np
import pytest

from board_client import START, ServedBoard
from lossboard.store.run_ids import run_id
from reference import tensorboard_ema

LOSS = {"tags": ["loss"], "width": 300}


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
