"""Contract with watchfiles: fails with the name of what a new release has changed."""

import os
import threading
from pathlib import Path

import pytest
import watchfiles

from lossboard.store.watchfiles_internals import FolderWatch

CHANGED = f"watchfiles {watchfiles.__version__} differs; adapt lossboard/store/watchfiles_internals.py"
LONG_SECS = 60.0


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


def test_wait_reports_changes_since_the_watch_was_created(tmp_path: Path, stop: threading.Event) -> None:
    file = tmp_path / "file"
    file.write_text("1")
    watch = FolderWatch([tmp_path])
    with file.open("a") as out:
        out.write("2")
    changes = watch.wait(LONG_SECS, stop)
    assert changes is not None and not changes.has_added, f"a modified file: {CHANGED}"


def test_wait_reports_added_files_in_subfolders(tmp_path: Path, stop: threading.Event) -> None:
    (tmp_path / "run").mkdir()
    watch = FolderWatch([tmp_path])
    (tmp_path / "run" / "file").write_text("1")
    changes = watch.wait(LONG_SECS, stop)
    assert changes is not None and changes.has_added, f"an added file: {CHANGED}"


def test_wait_returns_none_after_the_timeout_or_when_stopped(tmp_path: Path, stop: threading.Event) -> None:
    watch = FolderWatch([tmp_path])
    assert watch.wait(0.01, stop) is None, f"timeout: {CHANGED}"
    stop.set()
    assert watch.wait(LONG_SECS, stop) is None, f"stop: {CHANGED}"


def test_file_whose_name_is_not_utf8_ends_the_watch(tmp_path: Path, stop: threading.Event) -> None:
    watch = FolderWatch([tmp_path])
    (tmp_path / os.fsdecode(b"caf\xe9.txt")).touch()
    with pytest.raises(OSError, match="decode"):
        watch.wait(LONG_SECS, stop)


def test_folder_whose_name_is_not_utf8_cannot_be_watched(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    with pytest.raises(OSError):
        FolderWatch([folder])
