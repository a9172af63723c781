"""The routes about single runs: details, files, console output."""

import json

import pytest

from board_client import ServedBoard
from lossboard.store.run_ids import run_id

A, B = run_id("a"), run_id("b")


@pytest.fixture
def detailed(board: ServedBoard) -> ServedBoard:
    folder = board.folder / "a"
    (folder / "config.json").write_text(json.dumps({"optim": {"lr": 0.1, "name": "adamw"}, "amp": True}))
    (folder / "environment.json").write_text(json.dumps({"command": ["python", "train.py"], "host": "node-04"}))
    (folder / "console.log").write_text("step 1\nstep 2\n")
    board.poll()
    return board


def details(board: ServedBoard, *ids: str) -> list:
    return board.post("/api/runs/details", {"runs": list(ids)}).json()["runs"]


class TestDetails:
    def test_run_is_described(self, detailed):
        (run,) = details(detailed, A)
        assert run["config"] == {"optim.lr": 0.1, "optim.name": "adamw", "amp": True}
        assert (run["command"], run["environment"]) == ("python train.py", {"host": "node-04"})
        assert run["metric_count"] == 2
        accuracy, loss = run["metrics"]
        assert (accuracy["tag"], accuracy["direction"], accuracy["max_step"]) == ("accuracy", "max", 2)
        assert accuracy["max"] == pytest.approx(0.3)
        assert "rank" not in accuracy  # no other run has it
        assert (loss["first"], loss["last"], loss["min"], loss["min_step"], loss["count"]) == (4.0, 2.0, 2.0, 2, 3)
        assert (loss["rank"], loss["ranked"]) == (1, 2)

    def test_runs_keep_the_order_of_the_request(self, detailed):
        assert [run["id"] for run in details(detailed, B, A)] == [B, A]
        assert details(detailed, B)[0]["metrics"][0]["rank"] == 2

    def test_missing_runs_are_named(self, detailed):
        response = detailed.post("/api/runs/details", {"runs": [A, "gone"]}).json()
        assert ([run["id"] for run in response["runs"]], response["missing"]) == ([A], ["gone"])

    def test_note_is_rendered_and_sanitized(self, detailed):
        note = "**bold** <script>alert(1)</script> [x](javascript:alert(1))"
        detailed.post("/api/runs/edit", {"ids": [A], "set": {"note": note}})
        html = details(detailed, A)[0]["note_html"]
        assert "<strong>bold</strong>" in html
        assert "<script" not in html and 'href="javascript' not in html

    def test_diverged_metric_is_not_ranked(self, board):
        board.write("c", {"loss": [float("nan")]})
        board.poll()
        (metric,) = details(board, run_id("c"))[0]["metrics"]
        assert metric["last"] == "NaN" and metric["min"] is None and "rank" not in metric

    def test_config_with_thousands_of_keys_is_complete(self, board):
        config = {f"layer{i}": {"name": "x" * 20, "rate": i} for i in range(1000)}
        (board.folder / "a" / "config.json").write_text(json.dumps(config))
        board.write("a", {"loss": [1.0]})
        board.poll()
        assert len(details(board, A)[0]["config"]) == 2000

    @pytest.mark.parametrize("runs", [None, "a", [1], ["x"] * 51])
    def test_bad_requests_are_refused(self, board, runs):
        assert board.post("/api/runs/details", {"runs": runs}).status == 400


class TestFiles:
    def test_files_are_listed(self, detailed):
        response = detailed.get(f"/api/runs/files?run={A}").json()
        assert response["folder"] == str(detailed.folder / "a")
        assert response["console"] == ["console.log"]
        assert {file["name"]: file["bytes"] for file in response["files"]}["console.log"] == 14

    def test_files_of_a_training_tool_are_those_around_its_logs(self, board):
        board.write("2026_001/logs/tensorboard", {"loss": [1.0]})
        (board.folder / "2026_001" / "console.log").write_text("hello\n")
        board.poll()
        id = run_id("2026_001/logs/tensorboard")
        assert board.get(f"/api/runs/files?run={id}").json()["console"] == ["console.log"]
        assert board.get(f"/api/runs/console?run={id}&file=console.log").json()["text"] == "hello\n"

    def test_unknown_run_is_missing(self, board):
        assert board.get("/api/runs/files?run=gone").status == 404
        assert board.get("/api/runs/files").status == 404


class TestConsole:
    def test_end_is_returned(self, detailed):
        console = detailed.get(f"/api/runs/console?run={A}&file=console.log&bytes=10").json()
        assert console == {"bytes": 14, "text": "step 2\n", "is_cut": True}

    def test_whole_file_is_downloaded(self, detailed):
        response = detailed.get(f"/api/runs/console/download?run={A}&file=console.log")
        assert response.body == b"step 1\nstep 2\n"
        assert response.headers["content-disposition"] == 'attachment; filename="console.log"'

    @pytest.mark.parametrize("file", ["config.json", "../b/events.out.tfevents.000", "%2e%2e/x.log", ""])
    @pytest.mark.parametrize("path", ["console", "console/download"])
    def test_other_files_are_refused(self, detailed, path, file):
        assert detailed.get(f"/api/runs/{path}?run={A}&file={file}").status == 404

    @pytest.mark.parametrize("size", ["0", "-1", "x", "99999999999"])
    def test_bad_sizes_are_refused(self, detailed, size):
        assert detailed.get(f"/api/runs/console?run={A}&file=console.log&bytes={size}").status == 400
