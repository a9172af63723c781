"""Files of a run's folder: sizes, limits, and what is not followed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lossboard.store import run_files
from lossboard.store.run_files import list_run_files


def test_files_and_folders_have_their_sizes(tmp_path: Path) -> None:
    (tmp_path / "checkpoints" / "best").mkdir(parents=True)
    (tmp_path / "checkpoints" / "best" / "model").write_bytes(b"x" * 300)
    (tmp_path / "checkpoints" / "state").write_bytes(b"x" * 20)
    (tmp_path / "config.json").write_bytes(b"{}")
    listed = list_run_files(tmp_path)
    assert [(file.name, file.type, file.bytes, file.files) for file in listed.files] == [
        ("checkpoints", "folder", 320, 2),
        ("config.json", "file", 2, 1),
    ]
    assert listed.is_complete


def test_links_are_listed_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "large").write_bytes(b"x" * 5000)
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    listed = list_run_files(folder).files
    assert [(file.name, file.type) for file in listed] == [("link", "link"), ("loop", "link"), ("pipe", "other")]
    assert sum(file.bytes for file in listed) < 5000


def test_too_many_files_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_files, "_MAX_COUNTED", 10)
    (tmp_path / "images").mkdir()
    for number in range(20):
        (tmp_path / "images" / f"{number}.png").write_bytes(b"x")
    listed = list_run_files(tmp_path)
    assert not listed.is_complete
    assert listed.files[0].files < 20


def test_missing_folder_is_empty(tmp_path: Path) -> None:
    assert list_run_files(tmp_path / "gone").files == []
