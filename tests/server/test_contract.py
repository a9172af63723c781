"""HTTP contract: responses have exactly the documented fields, and the UI's types are up to date."""

import asyncio
import json
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, is_typeddict

import pytest

from board_client import ServedBoard
from every_kind import REQUESTS, A, serve_every_kind
from lossboard.kinds import kinds
from lossboard.kinds.routes import Download
from lossboard.server import contract, documents
from lossboard.server.live import ChangeSet, grew_message
from lossboard.store.run_ids import run_id


def mismatches(value: Any, hint: Any, path: str = "$") -> list[str]:
    """Returns what in a JSON value does not have the type that the contract gives it."""
    origin, args = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return _field_mismatches(value, hint, path)
    if origin is Literal:
        return [] if value in args else [f"{path}: {value!r} is not one of {args}"]
    if origin in (Union, UnionType):
        found = [mismatches(value, arg, path) for arg in args]
        return [] if [] in found else min(found, key=len)
    if origin is dict:
        return [one for key, item in value.items() for one in mismatches(item, args[1], f"{path}.{key}")]
    if origin is list or (origin is tuple and args[-1] is Ellipsis):
        if not isinstance(value, list):
            return [f"{path}: {value!r} is not a list"]
        return [one for i, item in enumerate(value) for one in mismatches(item, args[0], f"{path}[{i}]")]
    if origin is tuple:
        if not isinstance(value, list) or len(value) != len(args):
            return [f"{path}: {value!r} does not have {len(args)} items"]
        return [one for i, arg in enumerate(args) for one in mismatches(value[i], arg, f"{path}[{i}]")]
    accepted = {float: (int, float), NoneType: (NoneType,)}.get(hint, (hint,))
    return [] if type(value) in accepted else [f"{path}: {value!r} is not {hint}"]


def _field_mismatches(value: Any, hint: Any, path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{path}: {value!r} is not an object"]
    fields = contract.fields_of(hint)
    found = [f"{path}.{name} is not in {hint.__name__}" for name in value if name not in fields]
    for name, (field, optional) in fields.items():
        if name in value:
            found += mismatches(value[name], field, f"{path}.{name}")
        elif not optional:
            found.append(f"{path}.{name} is missing")
    return found


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"cursor": 1, "tags": [{"tag": "a", "runs": 1}]}, None),
        ({"cursor": 1, "tags": [{"tag": "a"}]}, "$.tags[0].runs is missing"),
        ({"cursor": 1, "tags": [{"tag": "a", "runs": 1, "more": 2}]}, "$.tags[0].more is not in TagRow"),
        ({"cursor": None, "tags": []}, "$.cursor: None is not <class 'int'>"),
        ({"cursor": True, "tags": []}, "$.cursor: True is not <class 'int'>"),
        (
            {"cursor": 1, "tags": [{"tag": "a", "runs": 1, "display": None}]},
            "$.tags[0].display: None is not <class 'str'>",
        ),
    ],
)
def test_mismatches_finds_missing_extra_and_wrong_fields(value, problem):
    assert mismatches(value, documents.TagList) == ([problem] if problem else [])


def test_typescript_is_up_to_date():
    assert contract.TYPESCRIPT.read_text("utf-8") == contract.typescript(), f"run: {contract.COMMAND}"


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    served = serve_every_kind(tmp_path_factory.mktemp("logs"))
    yield served
    served.context.jobs.close()


@pytest.mark.parametrize("path", REQUESTS)
def test_responses_match_the_contract(board, path):
    document = contract.route_documents()[path.partition("?")[0]]
    for body in REQUESTS[path]:
        sent = body(board) if callable(body) else body
        response = board.get(path) if sent is None else board.post(path, sent)
        assert response.status == 200, response.body
        is_json = response.headers["content-type"].startswith("application/json")
        assert mismatches(response.json() if is_json else response.frames()[0], document) == []


def test_every_route_with_a_document_is_requested():
    deletions = {"/api/runs/delete", "/api/runs/undelete", "/api/trash", "/api/trash/remove"}
    assert {path.partition("?")[0] for path in REQUESTS} | deletions == set(contract.route_documents())


def test_routes_without_a_document_return_bytes():
    undocumented = {
        f"{kind.name}/{route.path}"
        for kind in kinds().values()
        for route in kind.routes
        if not isinstance(route, Download) and contract.document_of(route) is None
    }
    assert undocumented == {"images/blob", "images/thumb", "audio/blob", "embeddings/sprite"}


def test_deletions_match_the_contract(tmp_path):
    board = ServedBoard(tmp_path)
    board.write("a", {"loss": [1.0]})
    board.poll()
    deleted = board.post("/api/runs/delete", {"ids": [A]}).json()
    assert mismatches(deleted, contract.SERVER_DOCUMENTS["/api/runs/delete"]) == []
    listed = board.get("/api/trash").json()
    assert len(listed["runs"]) == 1
    assert mismatches(listed, contract.SERVER_DOCUMENTS["/api/trash"]) == []
    restored = board.post("/api/runs/undelete", deleted).json()
    assert mismatches(restored, contract.SERVER_DOCUMENTS["/api/runs/undelete"]) == []
    deleted = board.post("/api/runs/delete", {"ids": [A]}).json()
    removed = board.post("/api/trash/remove", deleted).json()
    assert mismatches(removed, contract.SERVER_DOCUMENTS["/api/trash/remove"]) == []


def test_boards_that_are_not_writable_match_the_contract(tmp_path):
    document = ServedBoard(tmp_path / "missing").get("/api/board").json()
    assert "why_not" in document
    assert mismatches(document, documents.BoardInfo) == []


def test_start_and_last_are_null_without_a_finite_time(board):
    rows = {row["name"]: row for row in board.get("/api/board").json()["runs"]}
    assert (rows["b"]["start"], rows["b"]["last"]) == (None, None)
    assert (rows["empty"]["start"], rows["empty"]["last"]) == (None, None)


@pytest.mark.parametrize("path", ["/api/nothing", "/api/tags?kind=nothing"])
def test_errors_match_the_contract(board, path):
    assert mismatches(board.get(path).json(), contract.ERROR) == []


def test_events_match_the_contract(board):
    async def first_events() -> bytes:
        received = b""

        async def send(message):
            nonlocal received
            received += message.get("body", b"")
            if b"event: at" in received:
                board.follower.close_subscriptions()

        async def receive():
            await asyncio.Event().wait()

        scope = {"type": "http", "method": "GET", "path": "/api/live", "raw_path": b"/api/live", "query_string": b""}
        scope |= {"headers": [(b"host", b"localhost")], "root_path": "", "server": ("127.0.0.1", 1), "scheme": "http"}
        await asyncio.wait_for(board.app(scope, receive, send), 60)
        return received

    (at,) = [line for line in asyncio.run(first_events()).splitlines() if line.startswith(b"data: ")]
    assert mismatches(json.loads(at.removeprefix(b"data: ")), contract.EVENTS["at"]) == []
    grown = {"a": {("scalars", "loss")}, "b": {("scalars", str(i)) for i in range(300)}, "empty": set()}
    message = grew_message(ChangeSet(7, grown), board.logdir.runs, board.follower.state)
    assert mismatches(json.loads(json.dumps(message)), contract.EVENTS["grew"]) == []
    assert message["runs"][run_id("empty")]["last"] is None
