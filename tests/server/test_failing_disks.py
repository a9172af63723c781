"""A board on a disk that is full or read-only, and on files that vanish or change after they were read."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from board_client import ServedBoard
from every_kind import REQUESTS, serve_every_kind
from lossboard.store.run_ids import run_id
from small_disk import fill, mounted

A = run_id("a")
CHANGES = [
    ("runs/edit", {"ids": [A], "set": {"note": "x" * 20_000}}),
    ("views/save", {"name": "v", "state": "x" * 20_000}),
    ("runs/delete", {"ids": [A]}),
]


@pytest.fixture
def board(tmp_path: Path) -> Iterator[ServedBoard]:
    """A board with one run on a small disk."""
    with mounted(tmp_path / "disk") as disk:
        served = ServedBoard(disk)
        served.write("a", {"loss": [1.0, 2.0]})
        served.poll()
        assert served.post("/api/runs/edit", {"ids": [A], "set": {"note": "kept"}}).status == 200
        yield served


@pytest.mark.parametrize(("path", "body"), CHANGES)
def test_change_on_a_full_disk_is_refused_and_keeps_what_was(board: ServedBoard, path: str, body: object) -> None:
    ballast = fill(board.folder, free_bytes=0)
    refused = board.post(f"/api/{path}", body)
    assert (refused.status, "No space left on device" in refused.json()["error"]["message"]) == (409, True)
    assert not list(board.folder.glob("**/*.tmp"))
    again = ServedBoard(board.folder)
    again.poll()
    assert [run["note"] for run in again.get("/api/board").json()["runs"]] == ["kept"]
    ballast.unlink()
    assert board.post(f"/api/{path}", body).status == 200


@pytest.mark.parametrize(("path", "body"), CHANGES)
def test_change_on_a_read_only_disk_is_refused(board: ServedBoard, path: str, body: object) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(board.folder)], check=True)
    described = board.get("/api/board").json()
    assert (described["writable"], "read-only" in described["why_not"].lower()) == (False, True)
    refused = board.post(f"/api/{path}", body)
    assert (refused.status, "read-only" in refused.json()["error"]["message"].lower()) == (409, True)
    assert board.post("/api/scalars/charts", {"charts": [{"key": "0", "tags": ["loss"]}]}).status == 200


def _truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _overwrite(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def _replace(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


AFTERWARDS: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "cut": _truncate,
    "emptied": lambda path: os.truncate(path, 0),
    "overwritten": _overwrite,
    "a directory": lambda path: _replace(path, Path.mkdir),
    "a FIFO": lambda path: _replace(path, os.mkfifo),
    "a device": lambda path: _replace(path, lambda new: new.symlink_to("/dev/zero")),
    "a hole": lambda path: _replace(path, lambda new: (new.touch(), os.truncate(new, 1 << 40))),
}


@pytest.mark.parametrize("change", AFTERWARDS.values(), ids=AFTERWARDS)
def test_files_that_change_after_they_were_read_return_no_5xx(tmp_path: Path, change: Callable[[Path], object]) -> None:
    served = serve_every_kind(tmp_path / "logs")
    for file in [path for path in (tmp_path / "logs").rglob("*") if path.is_file()]:
        change(file)
    for path, bodies in REQUESTS.items():
        for body in bodies:
            if callable(body):  # needs a job, which has what it reads in memory
                continue
            response = served.get(path) if body is None else served.post(path, body)
            assert response.status < 500, (path, body, response.body)
    served.poll()
    assert served.get("/api/board").status == 200
    served.context.jobs.close()
