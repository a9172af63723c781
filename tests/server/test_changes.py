"""The routes that change annotations and delete runs."""

import os

import pytest

from board_client import ServedBoard
from lossboard.store.run_ids import run_id

LOSS = {"tags": ["loss"], "width": 300}


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
