"""A board on a stranger's logdir: traps at the names that the board uses read or change nothing outside."""

import fcntl
import json
import os
from pathlib import Path

import pytest

import hostile_files
from board_client import ServedBoard
from hostile_files import put, tree, with_contents
from lossboard.store.run_ids import run_id

TOKEN = "0123456789abcdef"
NAMES = (
    ".lossboard.json",
    ".lossboard.lock",
    ".lossboard.json.damaged",
    ".lossboard.json.PID.tmp",
    ".lossboard-trash",
    f".lossboard-trash/{TOKEN}",
    f".lossboard-trash/{TOKEN}/manifest.json",
    f".lossboard-trash/{TOKEN}/0",
)
SECRET = {"runs": {"a": {"alias": "secret"}}, "views": {"secret": "secret"}, "0": "stolen"}


HOSTILE_JSON = {
    "empty": b"",
    "binary": b"\xff\xfe\0\0",
    "list": b"[]",
    "deep": b'{"x":' + b"[" * 900 + b"]" * 900 + b"}",
    "deeper": b"[" * 1_000_000,
    "lone surrogate": rb'{"runs":{"a":{"alias":"\ud800"},"\udfff":{}},"views":{"\ud800":"\ud800"},"\ud800":"\ud800"}',
    "raw surrogate": b'{"x":"\xed\xa0\x80"}',
    "wrong types": b'{"runs":[1],"views":7,"version":{},"0":[],"1":null}',
    "wrong fields": b'{"runs":{"a":{"alias":[],"tags":"x","colour":true,"hidden":1},"b":null},"views":{"v":{}}}',
    "odd numbers": b'{"runs":{"a":{"colour":1e999}},"views":{"v":NaN},"0":-Infinity}',
    "huge number": b'{"x":' + b"9" * 10_000 + b"}",
    "outside keys": b'{"../../outside/precious.json":"stolen","/etc/passwd":"passwd"}',
    "outside values": b'{"0":"../outside/planted","1":"/tmp/planted"}',
    "odd values": rb'{"0":"","1":".","2":"a\u0000b","3":"\ud800"}',
    "equal values": b'{"0":"same","1":"same"}',
    "long value": b'{"0":"' + b"x" * 100_000 + b'"}',
}
SHAPES = hostile_files.SHAPES | with_contents({f"JSON: {name}": content for name, content in HOSTILE_JSON.items()})


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "precious.json").write_text(json.dumps(SECRET))
    (folder / "manifest.json").write_text(json.dumps({"0": "stolen"}))
    (folder / "0").write_text("precious")
    return folder


@pytest.fixture
def logdir(tmp_path: Path, outside: Path) -> Path:
    """A logdir with a run and a deleted file, beside a directory with files that must not change."""
    folder = tmp_path / "logs"
    trash = folder / ".lossboard-trash" / TOKEN
    trash.mkdir(parents=True)
    (trash / "manifest.json").write_text(json.dumps({"0": "old/events.out.tfevents.1"}))
    (trash / "0").write_text("deleted")
    return folder


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", NAMES)
def test_board_stays_inside_a_hostile_logdir(logdir: Path, outside: Path, name: str, shape: str) -> None:
    before = tree(outside)
    ServedBoard(logdir).write("a", {"loss": [1.0]})
    put(logdir / name.replace("PID", str(os.getpid())), SHAPES[shape], outside)
    board = ServedBoard(logdir)
    board.poll()
    a = run_id("a")

    described = board.get("/api/board").json()
    assert [run["name"] for run in described["runs"]] == ["a"]
    changes = [
        ("runs/edit", {"ids": [a], "set": {"note": "mine"}}),
        ("views/save", {"name": "v", "state": "?x"}),
        ("views/delete", {"name": "v"}),
        ("runs/undelete", {"undo": f"0-{TOKEN}"}),
        ("runs/delete", {"ids": [a]}),
    ]
    for path, body in changes:
        response = board.post(f"/api/{path}", body)
        assert response.status in (200, 404, 409), response.body
        if response.status == 409 and path.startswith("views"):
            assert described["why_not"], "the page says that nothing can be saved"
        board.poll()
        assert "secret" not in board.get("/api/board").body.decode()
    assert tree(outside) == before
    assert not any((logdir / stolen).exists() for stolen in ("stolen", "passwd"))


def test_sidecar_with_a_lone_surrogate_can_be_edited(logdir: Path) -> None:
    (logdir / ".lossboard.json").write_bytes(HOSTILE_JSON["lone surrogate"])
    board = ServedBoard(logdir)
    board.write("a", {"loss": [1.0]})
    board.poll()
    assert board.post("/api/runs/edit", {"ids": [run_id("a")], "set": {"note": "mine"}}).status == 200
    document = json.loads((logdir / ".lossboard.json").read_bytes())
    assert document["runs"]["a"] == {"alias": "\ud800", "note": "mine"}
    assert document["\ud800"] == "\ud800", "unknown keys are kept"


def test_run_whose_name_is_not_utf8_can_be_annotated_deleted_and_restored(logdir: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    board = ServedBoard(logdir)
    board.write(name, {"loss": [1.0]})
    board.poll()
    (run,) = board.get("/api/board").json()["runs"]
    assert board.post("/api/runs/edit", {"ids": [run["id"]], "set": {"note": "mine"}}).status == 200
    again = ServedBoard(logdir)
    again.poll()
    assert again.get("/api/board").json()["runs"][0]["note"] == "mine"
    undo = again.post("/api/runs/delete", {"ids": [run["id"]]}).json()
    again.poll()
    assert again.get("/api/board").json()["runs"] == []
    assert again.post("/api/runs/undelete", undo).status == 200
    again.poll()
    assert [each["id"] for each in again.get("/api/board").json()["runs"]] == [run["id"]]


def test_run_whose_file_is_a_link_is_deleted_and_restored(logdir: Path, tmp_path: Path) -> None:
    elsewhere = ServedBoard(tmp_path / "elsewhere")
    elsewhere.write("a", {"loss": [1.0]})
    (file,) = (tmp_path / "elsewhere" / "a").iterdir()
    (logdir / "a").mkdir()
    (logdir / "a" / file.name).symlink_to(file)
    board = ServedBoard(logdir)
    board.poll()
    undo = board.post("/api/runs/delete", {"ids": [run_id("a")]}).json()
    board.poll()
    assert board.get("/api/board").json()["runs"] == []
    assert file.exists(), "the file that the link leads to stays"
    assert board.post("/api/runs/undelete", undo).status == 200
    assert (logdir / "a" / file.name).readlink() == file


def test_change_fails_while_another_program_keeps_the_lock(logdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lossboard.store.sidecar._LOCK_SECS", 0.02)
    board = ServedBoard(logdir)
    with (logdir / ".lossboard.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        response = board.post("/api/views/save", {"name": "v", "state": "?x"})
        assert (response.status, "locked" in response.json()["error"]["message"]) == (409, True)
    assert board.post("/api/views/save", {"name": "v", "state": "?x"}).status == 200
