"""Reading and writing of the messages in event files: Event, Summary.Value and SummaryMetadata.

Event            wall_time 1 · step 2 · file_version 3 | graph_def 4 | summary 5 | log_message 6 | session_log 7 |
                 tagged_run_metadata 8 | meta_graph_def 9 · source_metadata 10
Summary          value 1 (repeated)
Summary.Value    tag 1 · node_name 7 · metadata 9 · simple_value 2 | image 4 | histo 5 | audio 6 | tensor 8
SummaryMetadata  plugin_data 1 {plugin_name 1, content 2} · display_name 2 · summary_description 3 · data_class 4
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

from lossboard.events.wire import Buffer, Message, bytes_field, double_field, float_field, text_field, uint_field

FILE_VERSION = "brain.Event:2"

FILE_VERSION_FIELD, GRAPH_DEF, SUMMARY, LOG_MESSAGE = 3, 4, 5, 6
SESSION_LOG, TAGGED_RUN_METADATA, META_GRAPH_DEF = 7, 8, 9
SIMPLE_VALUE, IMAGE, HISTO, AUDIO, TENSOR = 2, 4, 5, 6, 8

SESSION_START = 1

_EVENT_FIELDS = {
    FILE_VERSION_FIELD: "file_version",
    GRAPH_DEF: "graph_def",
    SUMMARY: "summary",
    LOG_MESSAGE: "log_message",
    SESSION_LOG: "session_log",
    TAGGED_RUN_METADATA: "tagged_run_metadata",
    META_GRAPH_DEF: "meta_graph_def",
}


# ---- reading ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Metadata:
    """Metadata of a tag, from its first value."""

    plugin: str = ""
    content: bytes = b""
    display_name: str = ""
    description: str = ""
    data_class: int = 0

    @classmethod
    def parse(cls, data: Buffer) -> Metadata:
        message = Message(data)
        plugin = message.message(1)
        return cls(plugin.text(1), plugin.blob(2), message.text(2), message.text(3), message.uint64(4))


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a summary. `data_field` is the field number of its data (IMAGE, TENSOR …), or None."""

    tag: str
    node_name: str
    metadata: Metadata | None
    data_field: int | None
    body: memoryview

    @property
    def simple_value(self) -> float | None:
        """The number of an old-style scalar, or None."""
        return float(struct.unpack("<f", self.body)[0]) if self.data_field == SIMPLE_VALUE else None

    @classmethod
    def parse(cls, data: Buffer) -> Value:
        message = Message(data)
        data_field = message.last_of(SIMPLE_VALUE, IMAGE, HISTO, AUDIO, TENSOR)
        metadata = Metadata.parse(b"".join(message.views(9))) if 9 in message else None
        parts = message.views(data_field) if data_field is not None else []
        # A repeated message is merged, a repeated number replaced.
        body = memoryview(b"".join(parts)) if len(parts) != 1 and data_field != SIMPLE_VALUE else parts[-1]
        return cls(message.text(1), message.text(7), metadata, data_field, body)


@dataclass(frozen=True, slots=True)
class Event:
    """Content of one record. `message` has all of its fields, by their numbers."""

    wall_time: float
    step: int
    message: Message

    def __repr__(self) -> str:
        return f"<Event {self.what or 'without content'} at step {self.step}>"

    @classmethod
    def parse(cls, data: Buffer) -> Event:
        message = Message(data)
        return cls(message.float64(1), message.int64(2), message)

    @property
    def what(self) -> str:
        """Name of the content as in event.proto, for example "summary" or "graph_def"; empty without content."""
        return _EVENT_FIELDS.get(self.message.last_of(*_EVENT_FIELDS) or 0, "")

    @property
    def content(self) -> bytes:
        """The serialized content. See `what`."""
        return self.message.blob(self.message.last_of(*_EVENT_FIELDS) or 0)

    @property
    def file_version(self) -> str:
        return self.message.text(FILE_VERSION_FIELD)

    @property
    def source_writer(self) -> str:
        """The package that wrote the file. Only the first event of a file has it."""
        return self.message.message(10).text(1)

    @property
    def summary(self) -> list[Value]:
        """The values of a summary."""
        return [Value.parse(value) for value in self.values]

    @property
    def values(self) -> list[memoryview]:
        """The values of a summary as serialized messages."""
        return self.message.message(SUMMARY).views(1)


# ---- writing ---------------------------------------------------------------------------------------------------------
def encode_metadata(
    plugin: str, content: bytes = b"", *, display_name: str = "", description: str = "", data_class: int = 0
) -> bytes:
    plugin_data = text_field(1, plugin) + (bytes_field(2, content) if content else b"")
    names = text_field(2, display_name) + text_field(3, description)
    return bytes_field(1, plugin_data) + names + uint_field(4, data_class)


def encode_simple_value(tag: str, value: float, *, metadata: bytes = b"") -> bytes:
    """Encodes a Summary.Value with one float32, the old style of scalars."""
    return _labels(tag, metadata) + float_field(SIMPLE_VALUE, value)


def encode_value(tag: str, data_field: int | None, body: Buffer = b"", *, metadata: bytes = b"") -> bytes:
    """Encodes a Summary.Value with a message. `data_field` is IMAGE, HISTO, AUDIO or TENSOR, or None for metadata."""
    return _labels(tag, metadata) + (bytes_field(data_field, body) if data_field is not None else b"")


def encode_event(
    wall_time: float,
    step: int = 0,
    *,
    values: Iterable[Buffer] = (),
    graph_def: Buffer | None = None,
    file_version: str = "",
    session_start: bool = False,
) -> bytes:
    parts = [double_field(1, wall_time), uint_field(2, step), text_field(3, file_version)]
    if graph_def is not None:
        parts.append(bytes_field(GRAPH_DEF, graph_def))
    summary = b"".join(bytes_field(1, value) for value in values)
    if summary:
        parts.append(bytes_field(SUMMARY, summary))
    if session_start:
        parts.append(bytes_field(SESSION_LOG, uint_field(1, SESSION_START)))
    return b"".join(parts)


def _labels(tag: str, metadata: bytes) -> bytes:
    return text_field(1, tag) + (bytes_field(9, metadata) if metadata else b"")
