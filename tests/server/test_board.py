"""The routes of the board, over real event files."""

import shutil
import time

import pytest

from board_client import START, ServedBoard
from lossboard import SummaryWriter
from lossboard.events.summary import encode_event, encode_metadata, encode_simple_value
from lossboard.store.run import Damage, Health, Run
from lossboard.store.run_ids import run_id
from reference import frame

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
