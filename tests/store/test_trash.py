"""Deleting with a way back."""

import json
import os

import pytest

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


def test_only_event_files_go_and_all_come_back(runs):
    before = files(runs)
    trash = Trash(runs)
    token = trash.put([runs / "a", runs / "b/deep"])
    assert {name for name in files(runs) if NAME not in name} == {"a/checkpoint.pt", "b/deep/checkpoint.pt"}
    assert not [name for name in files(runs) if "tfevents" in name], "nothing in the trash looks like a run"
    trash.restore(token)
    assert files(runs) == before


def test_restoring_twice(runs):
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    trash.restore(token)
    with pytest.raises(LookupError, match="nothing to undo"):
        trash.restore(token)


def test_a_folder_that_was_removed_meanwhile_is_made_again(runs):
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    (runs / "a" / "checkpoint.pt").unlink()
    (runs / "a").rmdir()
    trash.restore(token)
    assert (runs / "a" / "events.out.tfevents.0").read_text() == "a 0"


def test_nothing_is_overwritten(runs):
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    (runs / "a" / "events.out.tfevents.1").write_text("new")
    with pytest.raises(TrashError, match="there again"):
        trash.restore(token)
    assert (runs / "a" / "events.out.tfevents.1").read_text() == "new"
    assert token in trash.tokens()


@pytest.mark.parametrize("token", ["..", "", "../a", "."])
def test_a_token_is_never_a_path(runs, token):
    trash = Trash(runs)
    trash.put([runs / "a"])
    with pytest.raises(LookupError):
        trash.restore(token)


def test_a_link_out_of_the_logdir_is_left_alone(runs, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "events.out.tfevents.0").write_text("theirs")
    (runs / "link").symlink_to(outside)
    with pytest.raises(TrashError, match="outside"):
        Trash(runs).put([runs / "link"])
    assert (outside / "events.out.tfevents.0").exists()


def test_an_edited_manifest_moves_nothing_elsewhere(runs):
    trash = Trash(runs)
    token = trash.put([runs / "a"])
    (runs / NAME / token / "manifest.json").write_text(json.dumps({"0": "../../escaped"}))
    with pytest.raises(TrashError):
        trash.restore(token)
    assert not (runs.parent / "escaped").exists()


def test_all_or_none(runs, monkeypatch):
    before = files(runs)
    real = os.rename
    calls = []

    def rename(self, target):
        calls.append(self)
        if len(calls) == 2:
            raise OSError(5, "Input/output error")
        real(self, target)

    monkeypatch.setattr("pathlib.Path.rename", rename)
    with pytest.raises(TrashError, match="not deleted"):
        Trash(runs).put([runs / "a"])
    assert {name: text for name, text in files(runs).items() if NAME not in name} == before
