"""`lossboard trash`: lists, restores and removes deleted runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lossboard.cli.main import main
from lossboard.store.trash import Trash


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "events.out.tfevents.0").write_text(name)
        Trash(tmp_path).put([tmp_path / name])
    return tmp_path


def trash(capsys: pytest.CaptureFixture[str], *words: object, status: int = 0) -> str:
    assert main(["trash", *map(str, words)]) == status
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_list_has_a_line_for_each_run(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head, _, columns, *rows = trash(capsys, logdir).splitlines()
    assert head.startswith("2 deleted runs in")
    assert columns.split() == ["run", "deleted", "files", "size", "folder"]
    assert [row.split()[0] for row in rows] == ["b", "a"]


def test_restore_brings_back_the_named_run(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert trash(capsys, logdir, "restore", "a") == "Restored a\n"
    assert (logdir / "a" / "events.out.tfevents.0").read_text() == "a"
    assert [run.name for run in Trash(logdir).runs()] == ["b"]


def test_restore_overwrites_no_file_and_restores_the_others(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (logdir / "a" / "events.out.tfevents.0").write_text("new")
    printed = trash(capsys, logdir, "restore", "--all", status=1)
    assert "exists again" in printed
    assert "Restored b" in printed
    assert (logdir / "a" / "events.out.tfevents.0").read_text() == "new"


def test_restore_without_a_run_or_with_an_unknown_one_fails(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--all" in trash(capsys, logdir, "restore", status=1)
    assert "No deleted run is called c" in trash(capsys, logdir, "restore", "c", status=1)


def test_empty_needs_a_confirmation(logdir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--yes" in trash(capsys, logdir, "empty", status=1)
    assert len(Trash(logdir).runs()) == 2
    assert trash(capsys, logdir, "empty", "--yes") == "Deleted 2 runs (2 B).\n"
    assert trash(capsys, logdir) == f"The trash of {logdir} is empty.\n"
