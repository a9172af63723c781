"""Corrupt and hostile files: only their corrupt records are lost."""

import os
import resource
import socket
from pathlib import Path

import pytest

from lossboard.store.logdir import Logdir
from lossboard.store.run import Run
from tests.store.damage import DAMAGES, assert_bears, clean_file
from tests.store.event_file_builder import event, field, header, record, scalar, summary, version, write

SEEDS = 100


@pytest.mark.parametrize("damage", DAMAGES)
def test_only_modified_records_are_lost(tmp_path: Path, damage: str) -> None:
    clean = clean_file()
    for seed in range(SEEDS):
        assert_bears(clean, tmp_path, damage, seed)


def read(folder: Path) -> Run:
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    return logdir.runs["."]


BEFORE = version() + scalar("loss", 0, 0)
AFTER = scalar("loss", 1, 1)
NOT_EVENTS = {
    "random bytes": b"\xff\xfe\xfd nothing",
    "a cut field": b"\x09\x00\x00",
    "a value behind its summary": field(5, b"\x0a\x7f"),
    "a tag that is no UTF-8": event(5, summary(field(1, b"l\xffss") + b"\x15" + bytes(4))),
    "an overlong tag": event(5, summary(field(1, b"\xc0\x80") + b"\x15" + bytes(4))),
    "a malformed tensor": event(5, summary(field(1, b"t") + field(8, b"\x0a\x05"))),
    "malformed metadata": event(5, summary(field(1, b"t") + field(9, field(1, b"\x0a\x05")) + field(8, b""))),
    "a good value before a bad one": event(5, summary(field(1, b"loss") + b"\x15" + bytes(4), b"\x0a\x7f")),
    "field number 0": b"\x00\x01",
    "a group": b"\x0b\x0c",
    "an endless varint": b"\x10" + b"\xff" * 11,
}


@pytest.mark.parametrize("payload", NOT_EVENTS.values(), ids=NOT_EVENTS)
def test_record_that_is_not_an_event_is_skipped_and_counted(tmp_path: Path, payload: bytes) -> None:
    write(tmp_path, BEFORE, record(payload), AFTER)
    run = read(tmp_path)
    assert run.column("loss").steps.tolist() == [0, 1]
    assert [info.tag for info in run.index()] == ["loss"]
    (place,) = run.health.places
    assert place == ("events.out.tfevents.1", len(BEFORE), len(payload) + 16, place.why)
    assert "not an Event" in place.why


def test_empty_records_and_unknown_fields_are_events(tmp_path: Path) -> None:
    write(tmp_path, BEFORE, record(b""), record(b"\xf8\x07\x01" + field(300, b"x")), AFTER)
    assert read(tmp_path).health.records == 0


@pytest.mark.parametrize("length", [2**31, 3_000_000_000, 2**40, 2**63 + 5, 2**64 - 1])
def test_impossible_length_is_skipped(tmp_path: Path, length: int) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    write(tmp_path, BEFORE, header(length), b"rubbish", AFTER)
    run = read(tmp_path)
    assert run.column("loss").steps.tolist() == [0, 1]
    assert run.health.bytes == 12 + 7
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_length_beyond_the_end_hides_nothing_and_allocates_no_memory(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    write(tmp_path, BEFORE, header(2**31 - 1), AFTER)
    run = read(tmp_path)
    assert run.column("loss").steps.tolist() == [0, 1]
    assert (run.health.records, run.health.bytes) == (1, 12)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def image(size: int, *, fill: bytes = b"\x07") -> bytes:
    return record(event(0, summary(field(1, b"image") + field(4, field(4, fill * size)))))


@pytest.mark.parametrize("size", [1000, 100_000, 1_000_000])
@pytest.mark.parametrize("cut", [12, 13, 500, 900])
def test_record_that_is_cut_off_hides_none_that_follow(tmp_path: Path, size: int, cut: int) -> None:
    count = 2 * size // len(AFTER)  # some files end inside of the record that is claimed, most behind it
    for points in (1, count // 3, count):
        folder = tmp_path / str(points)
        write(folder, BEFORE, image(size)[:cut], *(scalar("loss", step, step) for step in range(1, points + 1)))
        run = read(folder)
        assert run.column("loss").steps.tolist() == list(range(points + 1))
        assert (run.health.records, run.health.bytes) == (1, cut)
        assert run.health.places[0].why.startswith("cut off")
        assert run.health.notes == []


def test_records_that_are_cut_off_one_after_another_hide_nothing(tmp_path: Path) -> None:
    cut = image(100_000)[:2000]
    write(tmp_path, BEFORE, cut, cut, AFTER, cut, scalar("loss", 2, 2))
    run = read(tmp_path)
    assert run.column("loss").steps.tolist() == [0, 1, 2]
    assert (run.health.records, run.health.bytes) == (3, 6000)


def test_corrupt_records_that_contain_each_other_are_read_in_linear_time(tmp_path: Path) -> None:
    size = 6_000_000
    headers = b"".join(header(size - 12 * i - 16) for i in range(size // 12 - 1))
    write(tmp_path, BEFORE, headers, bytes(100), AFTER)  # checking every claim takes 1.5 TB of CRCs
    assert read(tmp_path).column("loss").steps.tolist() == [0, 1]


def test_record_that_is_being_written_is_not_corrupt(tmp_path: Path) -> None:
    # The text of this record is itself a piece of an event file.
    inner = record(event(0, summary(field(1, b"image") + field(4, field(4, b"".join(AFTER for _ in range(9000)))))))
    for name, whole in {"plain": image(500_000), "inner": inner}.items():
        path = write(tmp_path / name, BEFORE)
        logdir = Logdir.parse(str(tmp_path / name))
        logdir.poll()
        for begin in range(0, len(whole), 60_000):
            with path.open("ab") as out:
                out.write(whole[begin : begin + 60_000])
            logdir.poll()
            run = logdir.runs["."]
            is_whole = begin + 60_000 >= len(whole)
            if name == "plain" or is_whole:
                assert run.health.records == 0
                assert run.column("loss").steps.tolist() == [0]
                assert [note.offset for note in run.health.notes] == ([] if is_whole else [len(BEFORE)])
        assert len(run.references("images", "image")) == 1


def test_huge_length_in_a_sparse_file_allocates_no_memory(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path = write(tmp_path, BEFORE, header(400_000_000))
    with path.open("r+b") as file:
        file.truncate(len(BEFORE) + 16 + 400_000_000)
        file.seek(0, os.SEEK_END)
        file.write(AFTER)
    assert read(tmp_path).column("loss").steps.tolist() == [0, 1]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000


def test_records_of_sizes_around_the_buffer_are_read(tmp_path: Path) -> None:
    sizes = [(256 << 10) + extra for extra in (-40, -17, -16, -15, -1, 0, 1, 300_000)]
    blobs = [field(1, b"image") + field(4, field(4, bytes([i]) * size)) for i, size in enumerate(sizes)]
    write(tmp_path, *(record(event(i, summary(blob))) + scalar("loss", i, i) for i, blob in enumerate(blobs)))
    run = read(tmp_path)
    images = run.references("images", "image")
    assert [images.read(i) for i in range(len(images))] == blobs
    assert run.column("loss").steps.tolist() == list(range(len(sizes)))


def test_files_misnamed_as_event_files_are_skipped(tmp_path: Path) -> None:
    write(tmp_path / "good", BEFORE, AFTER)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "a.tfevents").touch()
    os.mkfifo(tmp_path / "good" / "fifo.tfevents")
    os.mkfifo(tmp_path / "fifo.tfevents")
    (tmp_path / "folder.tfevents").mkdir()
    (tmp_path / "dangling.tfevents").symlink_to("nowhere")
    write(tmp_path / "text", b"this is no event file, but plain text\n" * 10)
    plug = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(tmp_path)  # a socket's address must be short
    try:
        plug.bind("socket.tfevents")
    finally:
        os.chdir(here)
        plug.close()
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    assert list(logdir.runs) == ["good", "empty", "text"]
    assert logdir.runs["good"].column("loss").steps.tolist() == [0, 1]
    assert logdir.runs["good"].health.records == 0
    text = logdir.runs["text"].health
    assert (text.records, text.bytes, text.places) == (0, 0, [])
    assert [(note.bytes, note.why) for note in text.notes] == [(380, "not an event file")]


def test_file_that_ends_inside_a_record_is_noted_and_not_counted(tmp_path: Path) -> None:
    write(tmp_path, BEFORE, AFTER[:-3])
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    health = logdir.runs["."].health
    assert (health.records, health.bytes, health.places) == (0, 0, [])
    (note,) = health.notes
    assert (note.offset, note.bytes, note.why) == (len(BEFORE), len(AFTER) - 3, "the file ends inside a record")
    with (tmp_path / note.file).open("ab") as out:
        out.write(AFTER[-3:])
    logdir.poll()
    assert logdir.runs["."].health.notes == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_is_reported_and_retried(tmp_path: Path) -> None:
    path = write(tmp_path, BEFORE)
    path.chmod(0)
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    run = logdir.runs["."]
    assert run.health.places[0].why == "cannot be read: Permission denied"
    path.chmod(0o600)
    logdir.poll()
    assert run.column("loss").steps.tolist() == [0]


def test_locations_are_limited_and_counts_are_not(tmp_path: Path) -> None:
    write(tmp_path, *(record(b"\xff") for _ in range(1000)), AFTER)
    health = read(tmp_path).health
    assert (health.records, health.bytes, len(health.places)) == (1000, 17_000, 100)
