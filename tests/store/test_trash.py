"""Trash: deleting and restoring runs."""

import json
import os
from pathlib import Path

import pytest

from lossboard.errors import UsageError
from lossboard.store.annotations import Annotations
from lossboard.store.logdir import Logdir
from lossboard.store.trash import NAME, Trash, TrashError


@pytest.fixture
def runs(tmp_path):
    for name in ("a", "b/deep"):
        (tmp_path / name).mkdir(parents=True)
        for i in range(2):
            (tmp_path / name / f"events.out.tfevents.{i}").write_text(f"{name} {i}")
        (tmp_path / name / "checkpoint.pt").write_text("weights")
    return tmp_path


def files(root):
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_event_files_are_moved_and_restored(runs):
    before = files(runs)
    trash = Trash(runs)
    token = trash.put([runs / "a", runs / "b/deep"])
    assert {name for name in files(runs) if NAME not in name} == {"a/checkpoint.pt", "b/deep/checkpoint.pt"}
    assert not [name for name in files(runs) if "tfevents" in name], "nothing in the trash looks like a run"
    trash.restore(token)
    assert files(runs) == before


def test_restoring_twice_raises(runs):
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    trash.restore(token)
    with pytest.raises(LookupError, match="Nothing to restore"):
        trash.restore(token)


def test_removed_folder_is_created_again(runs):
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    (runs / "a" / "checkpoint.pt").unlink()
    (runs / "a").rmdir()
    trash.restore(token)
    assert (runs / "a" / "events.out.tfevents.0").read_text() == "a 0"


def test_restore_overwrites_no_file(runs):
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    (runs / "a" / "events.out.tfevents.1").write_text("new")
    with pytest.raises(TrashError, match="exists again"):
        trash.restore(token)
    assert (runs / "a" / "events.out.tfevents.1").read_text() == "new"
    assert token in trash.tokens()


@pytest.mark.parametrize("token", ["..", "", "../a", "."])
def test_token_is_never_used_as_a_path(runs, token):
    trash = Trash(runs)
    trash.put([runs / "a"])
    with pytest.raises(LookupError):
        trash.restore(token)


def test_link_out_of_the_logdir_raises(runs, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "events.out.tfevents.0").write_text("theirs")
    (runs / "link").symlink_to(outside)
    with pytest.raises(TrashError, match="outside"):
        Trash(runs).put([runs / "link"])
    assert (outside / "events.out.tfevents.0").exists()


def test_edited_manifest_moves_no_file_out_of_the_logdir(runs):
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    (runs / NAME / token / "manifest.json").write_text(json.dumps({"0": "../../escaped"}))
    with pytest.raises(TrashError):
        trash.restore(token)
    assert not (runs.parent / "escaped").exists()


def test_failed_move_restores_all_files(runs, monkeypatch):
    before = files(runs)
    real = os.rename
    calls = []

    def rename(source, target, **folders):
        calls.append(source)
        if calls.count(source) == 1 and source.endswith("tfevents.1"):
            raise OSError(5, "Input/output error")
        real(source, target, **folders)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(TrashError, match="not deleted"):
        Trash(runs).put([runs / "a"])
    assert files(runs) == before, "the trash is empty"
    assert Trash(runs).tokens() == frozenset()


def test_run_without_files_cannot_be_deleted(runs):
    (runs / "empty").mkdir()
    with pytest.raises(TrashError, match="no files"):
        Trash(runs).put([runs / "empty"])


def test_deletion_that_was_killed_halfway_is_restored(runs):
    before = files(runs)
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    (runs / NAME / token / "1").rename(runs / "a" / "events.out.tfevents.1")
    trash.restore(token)
    assert files(runs) == before


@pytest.mark.parametrize(
    "manifest",
    [
        "",
        "[" * 100_000,
        "[]",
        '{"../../../precious": "stolen"}',
        '{"0": 1}',
        '{"0": "same", "1": "same"}',
        '{"0": "a\\u0000b"}',
    ],
)
def test_edited_manifest_is_not_restored(runs, manifest):
    (runs.parent / "precious").write_text("precious")
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    (runs / NAME / token / "manifest.json").write_text(manifest)
    with pytest.raises(TrashError, match=r"manifest\.json"):
        trash.restore(token)
    assert (runs.parent / "precious").exists()


def test_run_of_a_single_event_file_cannot_be_deleted(tmp_path: Path) -> None:
    file = tmp_path / "a.tfevents"
    file.touch()
    logdir = Logdir.parse(str(file))
    logdir.poll()
    annotations = Annotations(logdir)
    with pytest.raises(UsageError, match="single event file"):
        annotations.delete(logdir.runs.values())
    annotations.edit(logdir.runs.values(), {"alias": "mine"})
    assert [annotations.of(run) for run in logdir.runs.values()] == [{"alias": "mine"}]
    assert file.exists()
