"""Sidecar: concurrent changes are kept, and reading does not need it."""

import json
import math
import multiprocessing
import os

import pytest

from lossboard.store import sidecar as sidecar_module
from lossboard.store.sidecar import NAME, Sidecar, SidecarError


def test_fields_are_set_and_removed(tmp_path):
    sidecar = Sidecar(tmp_path)
    sidecar.edit_runs(["a"], {"alias": "x", "note": "y"})
    sidecar.edit_runs(["a"], {"note": None})
    assert Sidecar(tmp_path).runs() == {"a": {"alias": "x"}}
    sidecar.edit_runs(["a"], {"alias": None})
    assert Sidecar(tmp_path).runs() == {}


def test_reading_writes_nothing(tmp_path):
    sidecar = Sidecar(tmp_path)
    assert (dict(sidecar.runs()), dict(sidecar.views())) == ({}, {})
    sidecar.refresh()
    assert list(tmp_path.iterdir()) == []


def test_two_boards_merge_their_changes(tmp_path):
    one, two = Sidecar(tmp_path), Sidecar(tmp_path)
    one.edit_runs(["a"], {"alias": "x"})
    two.edit_runs(["a"], {"note": "y"})
    two.edit_view("v", "?z")
    one.edit_runs(["b"], {"hidden": True})
    expected = {"a": {"alias": "x", "note": "y"}, "b": {"hidden": True}}
    assert Sidecar(tmp_path).runs() == expected
    assert two.refresh()
    assert not two.refresh()
    assert (two.runs(), two.views()) == (expected, {"v": "?z"})


def _edit_many(folder, name):
    sidecar_module._LOCK_SECS = math.inf  # on a busy machine, a change may wait for longer than a user should
    sidecar = Sidecar(folder)
    for i in range(25):
        sidecar.edit_runs([f"{name}-{i}"], {"alias": name})


def test_concurrent_processes_lose_no_change(tmp_path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_edit_many, args=(tmp_path, name)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert len(Sidecar(tmp_path).runs()) == 75
    assert {path.name for path in tmp_path.iterdir()} == {NAME, ".lossboard.lock"}


def test_unknown_keys_are_kept(tmp_path):
    (tmp_path / NAME).write_text(json.dumps({"version": 9, "pins": [1], "runs": {"a": {"rating": 5}}}))
    Sidecar(tmp_path).edit_runs(["a"], {"alias": "x"})
    document = json.loads((tmp_path / NAME).read_text())
    assert (document["pins"], document["runs"]) == ([1], {"a": {"rating": 5, "alias": "x"}})


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_invalid_file_is_renamed_at_the_next_change(tmp_path, damage):
    (tmp_path / NAME).write_bytes(damage)
    sidecar = Sidecar(tmp_path)
    assert sidecar.runs() == {}
    assert (tmp_path / NAME).read_bytes() == damage
    sidecar.edit_runs(["a"], {"alias": "x"})
    assert (tmp_path / f"{NAME}.damaged").read_bytes() == damage
    assert Sidecar(tmp_path).runs() == {"a": {"alias": "x"}}


@pytest.mark.parametrize("document", [{"runs": 7, "views": []}, {"runs": {"a": 7}}])
def test_parts_of_a_wrong_type_are_replaced(tmp_path, document):
    (tmp_path / NAME).write_text(json.dumps(document))
    sidecar = Sidecar(tmp_path)
    sidecar.edit_runs(["a"], {"alias": "x"})
    sidecar.edit_view("v", "?")
    assert (sidecar.runs(), sidecar.views()) == ({"a": {"alias": "x"}}, {"v": "?"})


def test_missing_logdir_raises(tmp_path):
    sidecar = Sidecar(tmp_path / "later")
    assert "not exist" in sidecar.why_not_writable()
    with pytest.raises(SidecarError):
        sidecar.edit_runs(["a"], {"alias": "x"})
    assert not (tmp_path / "later").exists()


def test_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    sidecar = Sidecar(tmp_path)
    sidecar.edit_runs(["a"], {"alias": "x"})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SidecarError, match="No space left"):
        sidecar.edit_runs(["a"], {"alias": "y"})
    assert Sidecar(tmp_path).runs() == {"a": {"alias": "x"}}
    assert not list(tmp_path.glob("*.tmp"))
