"""Safe files: Lossboard opens its own files in a logdir only if they are what it would have created."""

import fcntl
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lossboard.safe_files import SafeFolder, UnsafeFile

NAME = "own.json"


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("outside") / "precious"
    file.write_text("precious")
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[SafeFolder]:
    with SafeFolder.open(tmp_path) as opened:
        yield opened


def _socket(path: Path, _: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


UNSAFE: dict[str, Callable[[Path, Path], object]] = {
    "link to a file": lambda path, outside: path.symlink_to(outside),
    "link to a directory": lambda path, outside: path.symlink_to(outside.parent),
    "dangling link": lambda path, outside: path.symlink_to(outside.with_name("missing")),
    "link to a device": lambda path, outside: path.symlink_to("/dev/zero"),
    "FIFO": lambda path, outside: os.mkfifo(path),
    "socket": _socket,
    "directory": lambda path, outside: path.mkdir(),
}


@pytest.fixture(params=UNSAFE)
def unsafe(request: pytest.FixtureRequest, tmp_path: Path, outside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)  # the address of a socket must be short
    UNSAFE[request.param](Path(NAME), outside)
    return tmp_path / NAME


def test_unsafe_file_is_not_read(folder: SafeFolder, unsafe: Path) -> None:
    with pytest.raises(UnsafeFile, match=NAME):
        folder.read(NAME, max_bytes=1000)


def test_unsafe_file_is_not_locked_and_its_target_is_unchanged(folder: SafeFolder, unsafe: Path, outside: Path) -> None:
    with pytest.raises(UnsafeFile, match=NAME), folder.lock(NAME, timeout_secs=0):
        pass
    assert [path.name for path in outside.parent.iterdir()] == ["precious"]
    assert outside.read_text() == "precious"


def test_unsafe_file_is_replaced_and_its_target_is_unchanged(folder: SafeFolder, unsafe: Path, outside: Path) -> None:
    if unsafe.is_dir() and not unsafe.is_symlink():
        with pytest.raises(IsADirectoryError):
            folder.replace(NAME, b"new")
    else:
        folder.replace(NAME, b"new")
        assert folder.read(NAME, max_bytes=3) == b"new"
    assert [path.name for path in unsafe.parent.iterdir()] == [NAME], "no draft is left"
    assert outside.read_text() == "precious"


def test_folder_that_is_a_link_is_not_opened(folder: SafeFolder, tmp_path: Path, outside: Path) -> None:
    (tmp_path / "sub").symlink_to(outside.parent)
    with pytest.raises(UnsafeFile, match="sub"), folder.open_folder("sub", create=True):
        pass


def test_file_larger_than_the_limit_is_not_read(folder: SafeFolder, tmp_path: Path) -> None:
    with (tmp_path / NAME).open("wb") as out:
        out.truncate(1 << 40)
    with pytest.raises(UnsafeFile, match="larger than 1 MB"):
        folder.read(NAME, max_bytes=1 << 20)


def test_lock_that_another_process_keeps_times_out(folder: SafeFolder, tmp_path: Path) -> None:
    with (tmp_path / NAME).open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(TimeoutError, match=NAME), folder.lock(NAME, timeout_secs=0.02):
            pass
        fcntl.flock(other, fcntl.LOCK_UN)
        with folder.lock(NAME, timeout_secs=0):
            pass


def test_lock_keeps_the_content_of_its_file(folder: SafeFolder, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("content")
    with folder.lock(NAME, timeout_secs=0):
        pass
    assert (tmp_path / NAME).read_text() == "content"


def test_abandoned_drafts_are_removed(folder: SafeFolder, tmp_path: Path) -> None:
    for name in (f"{NAME}.0123.tmp", f"{NAME}.77.tmp", f"{NAME}.new.tmp", "other.tmp", f"{NAME}.damaged"):
        (tmp_path / name).touch()
        if ".new." not in name:
            os.utime(tmp_path / name, (0, 0))
    (tmp_path / f"{NAME}.link.tmp").symlink_to(tmp_path / "other.tmp")
    folder.remove_abandoned_drafts(NAME)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {f"{NAME}.new.tmp", "other.tmp", f"{NAME}.damaged", f"{NAME}.link.tmp"}
