"""Event and Summary messages compared with TensorBoard's protobuf classes, reading and writing."""

from tensorboard.compat.proto.event_pb2 import Event as TheirEvent
from tensorboard.compat.proto.event_pb2 import SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata

from lossboard.events import summary

METADATA = SummaryMetadata(
    plugin_data=SummaryMetadata.PluginData(plugin_name="text", content=b"\x00\xff"),
    display_name="Zähler",
    summary_description="what it is",
    data_class=2,
)


def test_tensorboard_reads_our_events() -> None:
    names = {"display_name": "Zähler", "description": "what it is"}
    metadata = summary.encode_metadata("text", b"\x00\xff", data_class=2, **names)
    values = [
        summary.encode_simple_value("loss", 0.5),
        summary.encode_value("t", summary.TENSOR, b"", metadata=metadata),
        summary.encode_value("bare", None, metadata=metadata),
    ]
    theirs = TheirEvent.FromString(summary.encode_event(12.5, -3, values=values))
    assert (theirs.wall_time, theirs.step) == (12.5, -3)
    loss, text, bare = theirs.summary.value
    assert (loss.tag, loss.simple_value) == ("loss", 0.5)
    assert (text.WhichOneof("value"), text.metadata) == ("tensor", METADATA)
    assert (bare.WhichOneof("value"), bare.metadata) == (None, METADATA)


def test_tensorboards_events_are_read() -> None:
    value = Summary.Value(tag="loss", node_name="n", metadata=METADATA, simple_value=0.25)
    theirs = TheirEvent(wall_time=1.5, step=2**62, summary=Summary(value=[value]))
    event = summary.Event.parse(theirs.SerializeToString())
    assert (event.wall_time, event.step) == (1.5, 2**62)
    ours = summary.Value.parse(event.values[0])
    assert (ours.tag, ours.node_name, ours.data_field) == ("loss", "n", summary.SIMPLE_VALUE)
    assert ours.metadata == summary.Metadata("text", b"\x00\xff", "Zähler", "what it is", 2)


def test_version_graph_and_session_events() -> None:
    version = TheirEvent.FromString(summary.encode_event(1.0, file_version=summary.FILE_VERSION))
    assert version.file_version == "brain.Event:2"
    assert TheirEvent.FromString(summary.encode_event(1.0, graph_def=b"\x0a\x00")).graph_def == b"\x0a\x00"
    started = TheirEvent.FromString(summary.encode_event(1.0, 7, session_start=True))
    assert (started.step, started.session_log.status) == (7, SessionLog.START)
