"""Responses to invalid and hostile requests, and the list of routes."""

import json
import re
from pathlib import Path

import pytest

from board_client import ServedBoard

LOSS = {"tags": ["loss"], "width": 300}


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
