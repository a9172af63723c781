"""Wire formats that protobuf allows but known writers do not use, compared with protobuf's parser."""

import struct
from pathlib import Path

import pytest
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.util import tensor_util

from lossboard.events.summary import Value
from lossboard.kinds.histograms.decode import histograms
from lossboard.kinds.text.decode import text
from tests.store.event_file_builder import (
    double,
    event,
    field,
    metadata,
    record,
    simple,
    summary,
    tensor,
    varint,
    version,
    write,
)
from tests.store.test_run import only_run

STEP = b"\x10" + varint(3)
WALL_TIME = double(1, 1.7e9)
NUMBER = b"\x15" + struct.pack("<f", 0.1)
TAG = field(1, b"loss")
EMPTY = b"\x08\x01" + field(2, b"")  # a float of rank 0, without its value


def values(*numbers: float) -> bytes:
    return field(5, struct.pack(f"<{len(numbers)}f", *numbers))


NEW = tensor("new", EMPTY + values(9), plugin="scalars")


def logged(*body: bytes) -> bytes:
    """An Event with one Summary.Value."""
    return event(3, summary(b"".join(body)))


FORMS = {
    "fields in another order": summary(NUMBER + TAG) + STEP + WALL_TIME,
    "unknown fields": field(99, b"x") + logged(field(77, b"y"), TAG, b"\xf8\x07\x05", NUMBER),
    "the last of several counts": double(1, 5.0) + b"\x10\x01" + logged(field(1, b"no"), TAG, NUMBER),
    "two summaries are one": event(3, summary(simple("a", 1)) + summary(simple("b", 2))),
    "what comes between parts them": event(3, summary(simple("a", 1)) + field(6, b"") + summary(TAG + NUMBER)),
    "a number takes the place of a tensor": logged(NEW, NUMBER),
    "a tensor takes the place of a number": logged(NUMBER, NEW),
    "a tensor in two parts": logged(tensor("a", EMPTY, plugin="scalars"), field(8, values(7.5))),
    "metadata in two parts": logged(NEW, field(9, field(3, b"what"))),
    "plugin data in two parts": logged(TAG, field(9, field(1, field(1, b"scalars")) + field(1, field(2, b"x"))), NEW),
    "a plugin named twice": logged(metadata("text"), NEW),
    "a number that is not packed": logged(tensor("a", EMPTY + b"\x2d" + struct.pack("<f", 2.5), plugin="scalars")),
    "the name of a node": logged(field(7, b"node"), metadata("scalars"), field(8, EMPTY + values(3))),
    "a step in ten bytes": WALL_TIME + b"\x10" + varint(-4) + summary(TAG + NUMBER),
    "no step, no wall time": summary(TAG + NUMBER),
}


@pytest.mark.parametrize("payload", FORMS.values(), ids=FORMS)
def test_scalars_in_unusual_forms_are_read(payload: bytes, tmp_path: Path) -> None:
    theirs = Event.FromString(payload)
    write(tmp_path, version(), record(payload))
    run = only_run(tmp_path)
    assert [info.tag for info in run.index()] == sorted(value.tag or value.node_name for value in theirs.summary.value)
    for value in theirs.summary.value:
        old = value.WhichOneof("value") == "simple_value"
        column = run.column(value.tag or value.node_name)
        assert (column.steps[0], column.wall_times[0]) == (theirs.step, theirs.wall_time)
        assert column.values[0] == (value.simple_value if old else tensor_util.make_ndarray(value.tensor))


@pytest.mark.parametrize("length", [0, 1, 7, 8, 107, 108, 116, 117, 118, 122, 123, 127, 128, 300, 20_000])
def test_tags_of_any_length_are_read(length: int, tmp_path: Path) -> None:
    # Lengths of 128 and more take two bytes, of the tag, the value and the summary one after the other.
    tag = "t" * length
    write(tmp_path, version(), *(record(event(step, summary(simple(tag, step)))) for step in (1, 200, 70_000)))
    assert only_run(tmp_path).column(tag).values.tolist() == [1, 200, 70_000]


def test_messages_in_two_parts_are_merged(tmp_path: Path) -> None:
    limits, counts = field(6, struct.pack("<2d", 0, 1)), field(7, struct.pack("<2d", 4, 5))
    more = double(1, -1) + double(2, 2) + double(6, 2) + double(7, 6)
    note = tensor("note", b"\x08\x07" + field(2, field(2, b"\x08\x02")) + field(8, b"a"), plugin="text")
    both = logged(field(1, b"h"), field(5, limits + counts), field(5, more)), logged(note, field(8, field(8, b"b")))
    write(tmp_path, *map(record, both))
    run = only_run(tmp_path)
    assert histograms(run, "h")[0].buckets.tolist() == [[-1, 0, 4], [0, 1, 5], [1, 2, 6]]
    assert text(run, "note")[0].texts == ("a", "b")


def test_last_of_repeated_numbers_counts() -> None:
    twice = Value.parse(TAG + b"\x15" + struct.pack("<f", 9) + NUMBER)
    assert bytes(twice.body) == NUMBER[1:]
