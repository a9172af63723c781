"""Raw events of a file, and what only they have."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import lossboard
from lossboard.events.event_reader import first_event
from lossboard.events.summary import encode_event, encode_metadata, encode_simple_value
from lossboard.events.wire import bytes_field, double_field, text_field
from reference import frame

CORPUS = Path(__file__).parent.parent / "data" / "corpus" / "logdirs"


def write(folder: Path, *payloads: bytes) -> Path:
    file = folder / "events.out.tfevents.1"
    file.write_bytes(b"".join(map(frame, payloads)))
    return file


def test_events_are_read_as_stored(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        encode_event(1.0, file_version="brain.Event:2") + bytes_field(10, text_field(1, "my.writer")),
        encode_event(2.0, 7, values=[encode_simple_value("loss", 0.5, metadata=encode_metadata("scalars"))]),
        encode_event(3.0, 7, graph_def=b"graph"),
        double_field(1, 4.0),
    )
    first, second, third, last = lossboard.events.read(file)
    assert (first.what, first.file_version, first.source_writer) == ("file_version", "brain.Event:2", "my.writer")
    (value,) = second.summary
    assert (second.step, second.wall_time, value.tag, value.simple_value) == (7, 2.0, "loss", 0.5)
    assert value.metadata is not None
    assert value.metadata.plugin == "scalars"
    assert (third.what, third.content) == ("graph_def", b"graph")
    assert (last.what, last.content, last.summary) == ("", b"", [])
    assert [repr(event) for event in (second, last)] == [
        "<Event summary at step 7>",
        "<Event without content at step 0>",
    ]


def test_corrupt_and_incomplete_records_are_skipped(tmp_path: Path) -> None:
    records = [frame(encode_event(1.0, step)) for step in range(5)]
    records[1] = records[1][:-1] + b"x"  # a wrong CRC of the data
    records[2] = b"x" + records[2][1:]  # a wrong length
    file = tmp_path / "a"
    file.write_bytes(b"".join(records) + frame(b"\xff") + records[0][:-2])
    assert [event.step for event in lossboard.events.read(file)] == [0, 3, 4]


def test_record_that_is_cut_off_hides_none_that_follow(tmp_path: Path) -> None:
    records = [frame(encode_event(1.0, step)) for step in range(5)]
    large = frame(bytes(3 << 20))
    file = tmp_path / "a"
    for cut in (12, 1000, (2 << 20) + 5):
        file.write_bytes(records[0] + large[:cut] + b"".join(records[1:]))
        assert [event.step for event in lossboard.events.read(file)] == [0, 1, 2, 3, 4]


def test_empty_file_has_no_events(tmp_path: Path) -> None:
    assert list(lossboard.events.read(write(tmp_path))) == []
    (info,) = lossboard.open(tmp_path)["."].files
    assert (info.version, info.writer) == ("", "")


def test_run_has_its_files_meta_graph_and_run_metadata(tmp_path: Path) -> None:
    tagged = [bytes_field(8, text_field(1, "step1") + bytes_field(2, data)) for data in (b"old", b"new")]
    file = write(
        tmp_path,
        encode_event(1.0, file_version="brain.Event:2"),
        *(double_field(1, 2.0) + field for field in (bytes_field(9, b"meta"), *tagged)),
    )
    run = lossboard.open(tmp_path)["."]
    assert [(info.path, info.version, info.writer) for info in run.files] == [(file, "brain.Event:2", "")]
    assert (run.meta_graph(), run.run_metadata()) == (b"meta", {"step1": b"new"})


def test_tag_has_metadata(tmp_path: Path) -> None:
    labels = encode_metadata("scalars", display_name="Loss", description="The *loss*.")
    write(tmp_path, encode_event(1.0, values=[encode_simple_value("a", 1.0, metadata=labels)]))
    metadata = lossboard.open(tmp_path)["."].metadata("a")
    assert (metadata.plugin, metadata.display_name, metadata.description) == ("scalars", "Loss", "The *loss*.")


@pytest.mark.parametrize("logdir", ["tf1", "tf2", "torch_scalars"])
def test_real_files_have_a_version(logdir: Path) -> None:
    board = lossboard.open(CORPUS / logdir)
    assert {info.version for name in board for info in board[name].files} == {"brain.Event:2"}


def test_first_event_is_read_from_the_beginning_only(tmp_path: Path) -> None:
    file = write(tmp_path, encode_event(1.0, 7), encode_event(2.0, 8))
    event = first_event(file)
    assert event is not None
    assert event.step == 7
    os.truncate(file, 1)
    os.truncate(file, 1 << 40)  # a hole that would take hours to read
    assert first_event(file) is None


def test_first_event_of_what_is_not_a_file_is_missing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", ".", "missing"):
        assert first_event(tmp_path / name) is None
