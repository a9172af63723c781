"""Trash: deleting and restoring runs."""

import json
import os
import re
import time
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


def test_folder_in_the_trash_tells_what_was_deleted_and_when(runs):
    trash = Trash(runs)
    before = time.time()
    token = trash.put([runs / "b/deep"])
    (folder,) = (runs / NAME).iterdir()
    assert folder.name == token
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_b-deep_[0-9a-f]{4}", token)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["run"], manifest["files"]["0"]) == ("b/deep", "b/deep/events.out.tfevents.0")
    (run,) = trash.runs()
    assert (run.token, run.name, run.files, run.bytes) == (token, "b/deep", 2, 16)
    assert before <= run.deleted_at <= time.time()


def test_deleted_runs_are_listed_latest_first(runs):
    tokens = [Trash(runs).put([runs / name]) for name in ("a", "b/deep")]
    assert [run.token for run in Trash(runs).runs()] == tokens[::-1]


def test_manifest_of_the_first_versions_is_listed_and_restored(runs):
    before = files(runs)
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    manifest = runs / NAME / token / "manifest.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text())["files"]))
    assert [run.name for run in trash.runs()] == ["a"]
    trash.restore(token)
    assert files(runs) == before


def test_removed_run_leaves_nothing_behind(runs):
    trash = Trash(runs)
    kept, removed = (trash.put([runs / name]) for name in ("a", "b/deep"))
    trash.remove(removed)
    assert trash.tokens() == {kept}
    with pytest.raises(LookupError):
        trash.remove(removed)


class Killed(BaseException):
    """The process ends at this system call."""


@pytest.fixture
def kill_at(monkeypatch):
    """Makes the process end at a system call that changes the disk: none from this one on takes effect."""

    def kill_at(number):
        calls = 0

        def counted(real):
            def call(*args, **options):
                nonlocal calls
                calls += 1
                if calls > number:
                    raise Killed
                return real(*args, **options)

            return call

        for name in ("rename", "unlink", "mkdir", "rmdir", "fsync"):
            monkeypatch.setattr(os, name, counted(getattr(os, name)))

    return kill_at


def run_until_killed(action):
    try:
        action()
    except Killed:
        return True
    return False


@pytest.mark.parametrize("call", range(10))
def test_deletion_that_is_killed_at_any_call_loses_no_file(runs, kill_at, monkeypatch, call):
    before = files(runs)
    kill_at(call)
    was_killed = run_until_killed(lambda: Trash(runs).put([runs / "a"]))
    monkeypatch.undo()
    assert was_killed == (call < 6)
    for run in Trash(runs).runs():
        Trash(runs).restore(run.token)
    assert {name: text for name, text in files(runs).items() if NAME not in name} == before


@pytest.mark.parametrize("call", range(8))
def test_restoring_that_is_killed_at_any_call_can_be_repeated(runs, kill_at, monkeypatch, call):
    before = files(runs)
    token = Trash(runs).put([runs / "a"])
    kill_at(call)
    was_killed = run_until_killed(lambda: Trash(runs).restore(token))
    monkeypatch.undo()
    assert was_killed == (call < 6)
    for run in Trash(runs).runs():
        Trash(runs).restore(run.token)
    assert {name: text for name, text in files(runs).items() if NAME not in name} == before


@pytest.mark.parametrize("call", range(6))
def test_removal_that_is_killed_at_any_call_offers_no_half_run(runs, kill_at, monkeypatch, call):
    token = Trash(runs).put([runs / "a"])
    kill_at(call)
    run_until_killed(lambda: Trash(runs).remove(token))
    monkeypatch.undo()
    assert [run.files for run in Trash(runs).runs()] == ([2] if call == 0 else [])
    Trash(runs).remove_leftovers()
    assert (Trash(runs).tokens() == frozenset()) == (call > 0)


def test_failed_deletion_of_several_runs_moves_none(runs, monkeypatch):
    before = files(runs)
    logdir = Logdir.parse(str(runs))
    logdir.poll()
    real = os.rename

    def rename(source, target, **folders):
        if source.endswith("b/deep/events.out.tfevents.1"):
            raise OSError(5, "Input/output error")
        real(source, target, **folders)

    monkeypatch.setattr(os, "rename", rename)
    with pytest.raises(TrashError, match="not deleted"):
        Annotations(logdir).delete(logdir.runs.values())
    assert files(runs) == before


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
