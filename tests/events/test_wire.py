"""Wire format compared with protobuf, reading and writing."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.proto.summary_pb2 import HistogramProto, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto

from lossboard.errors import DecodeError
from lossboard.events import wire

int64s = st.integers(-(2**63), 2**63 - 1)


@given(st.lists(int64s))
def test_packed_varints_equal_protobufs(numbers: list[int]) -> None:
    theirs = TensorProto(int64_val=numbers).SerializeToString()
    assert [wire.signed(n) for n in wire.Message(theirs).uint64s(10)] == numbers
    assert TensorProto.FromString(wire.uints_field(10, numbers)).int64_val == numbers


@given(st.lists(st.floats(allow_nan=False)), st.floats(allow_nan=False))
def test_doubles_equal_protobufs(numbers: list[float], least: float) -> None:
    theirs = wire.Message(HistogramProto(min=least, bucket=numbers).SerializeToString())
    assert theirs.float64(1) == least
    assert theirs.float64s(7).tolist() == numbers
    ours = HistogramProto.FromString(wire.double_field(1, least) + wire.doubles_field(7, numbers))
    assert (ours.min, list(ours.bucket)) == (least, numbers)


def test_unpacked_numbers_are_read() -> None:
    one_by_one = b"".join(wire.double_field(7, x) for x in (1.0, 2.0)) + wire.doubles_field(7, [3.0])
    assert wire.Message(one_by_one).float64s(7).tolist() == [1.0, 2.0, 3.0]
    assert wire.Message(wire.uint_field(10, 5) + wire.uints_field(10, [6, 7])).uint64s(10) == [5, 6, 7]


def test_nested_messages_are_merged_and_the_last_value_counts() -> None:
    name = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text")).SerializeToString()
    content = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(content=b"x")).SerializeToString()
    plugin = wire.Message(name + content).message(1)
    assert (plugin.text(1), plugin.blob(2)) == ("text", b"x")
    assert wire.Message(wire.text_field(2, "old") + wire.text_field(2, "new")).text(2) == "new"


def test_missing_fields_have_defaults() -> None:
    message = wire.Message(b"")
    assert (message.int64(1), message.float64(1), message.float32(1)) == (0, 0.0, 0.0)
    assert (message.blob(1), message.text(1), 1 in message) == (b"", "", False)
    assert (message.uint64s(1), message.messages(1), message.float64s(1).tolist()) == ([], [], [])


def test_float32_overflow_becomes_infinite() -> None:
    assert wire.Message(wire.float_field(2, -1e300)).float32(2) == float("-inf")


@pytest.mark.parametrize(
    "data",
    [b"\x08", b"\x08\xff", b"\x0a\x05ab", b"\x09\x00", b"\x0b\x0c", b"\x00\x01", b"\x08" + b"\xff" * 11, b"\x0f"],
    ids=["no value", "cut varint", "cut bytes", "cut double", "group", "field 0", "long varint", "wire type 7"],
)
def test_invalid_message_raises(data: bytes) -> None:
    with pytest.raises(DecodeError):
        wire.Message(data)


@pytest.mark.parametrize("ask", ["uint64", "float64", "float64s"])
def test_field_of_another_type_raises(ask: str) -> None:
    with pytest.raises(DecodeError):
        getattr(wire.Message(wire.bytes_field(3, struct.pack("<i", 1) + b"\x00")), ask)(3)


@given(st.binary(max_size=60))
def test_any_bytes_are_parsed_or_raise(data: bytes) -> None:
    try:
        wire.Message(data)
    except DecodeError:
        pass
