"""The object that torch calls `SummaryWriter.file_writer`, for messages that a program created with protobuf.

Messages may come from TensorBoard's, TensorFlow's or tensorboardX's protobuf: only their serialized bytes are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lossboard._core import EventWriter
from lossboard.events.conversions import as_wall_time
from lossboard.events.event_files import EventFiles, NullEventWriter, run_folder
from lossboard.events.summary import (
    FILE_VERSION_FIELD,
    GRAPH_DEF,
    LOG_MESSAGE,
    META_GRAPH_DEF,
    SESSION_LOG,
    SUMMARY,
    TAGGED_RUN_METADATA,
    Event,
)
from lossboard.events.wire import bytes_field, text_field

ReportError = Callable[[str], None]
_CONTENT = (FILE_VERSION_FIELD, GRAPH_DEF, SUMMARY, LOG_MESSAGE, SESSION_LOG, TAGGED_RUN_METADATA, META_GRAPH_DEF)


class EventFileWriter:
    """Writes whole Event messages into one event file, with their own step and wall time."""

    def __init__(self, log_dir: str, file: EventWriter | NullEventWriter, report_error: ReportError) -> None:
        self._log_dir = log_dir
        self._file = file
        self._report_error = report_error

    def get_logdir(self) -> str:
        return self._log_dir

    def add_event(self, event: Any) -> None:
        parsed = Event.parse(_serialize(event, "An event", "an Event message"))
        self.write_event(parsed, parsed.step, parsed.wall_time)

    def write_event(self, event: Event, step: Any, walltime: float | None) -> None:
        field = event.message.last_of(*_CONTENT)
        if field is None:
            self.write(SUMMARY, b"", step, walltime)  # an event without content still has a step and a time
        else:
            self.write(field, event.message.blob(field), step, walltime)

    def write(self, field: int, message: bytes, step: Any, walltime: Any) -> None:
        if self._file.event(field, message, step, as_wall_time(walltime)):
            self._report_error(self._file.fault)

    def flush(self) -> None:
        if not self._file.flush():
            self._report_error(self._file.fault)

    def close(self) -> None:
        """Closes the file. The next event starts a new one."""
        self._file.close(finished=True)

    def reopen(self) -> None:
        """Does nothing: a closed file is replaced by a new one when there is something to write."""


class FileWriter:
    """Writes messages into one event file, as torch's and tensorboardX's FileWriter does."""

    def __init__(self, log_dir: object, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        folder = run_folder(log_dir)
        files = EventFiles(folder, filename_suffix)
        self.event_writer = EventFileWriter(folder, files.main, files.report_error)

    @classmethod
    def of(cls, event_writer: EventFileWriter) -> FileWriter:
        """Returns a FileWriter for a file that is already open."""
        writer = cls.__new__(cls)
        writer.event_writer = event_writer
        return writer

    def get_logdir(self) -> str:
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """Writes an Event at `step`, by default its own, with the current time unless `walltime` is given."""
        parsed = Event.parse(_serialize(event, "An event", "an Event message"))
        self.event_writer.write_event(parsed, parsed.step if step is None else step, walltime)

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        message = _serialize(summary, "A summary", "a Summary message")
        self.event_writer.write(SUMMARY, message, global_step, walltime)

    def add_graph(self, graph_profile: Any, walltime: float | None = None) -> None:
        """Writes a pair of GraphDef and RunMetadata."""
        graph, run_metadata = (_serialize(part, "A graph profile", "two messages") for part in graph_profile[:2])
        self.event_writer.write(GRAPH_DEF, graph, None, walltime)
        tagged = text_field(1, "step1") + bytes_field(2, run_metadata)
        self.event_writer.write(TAGGED_RUN_METADATA, tagged, None, walltime)

    def add_onnx_graph(self, graph: Any, walltime: float | None = None) -> None:
        """Writes a GraphDef."""
        self.event_writer.write(GRAPH_DEF, _serialize(graph, "A graph", "a GraphDef message"), None, walltime)

    add_openvino_graph = add_onnx_graph

    def flush(self) -> None:
        self.event_writer.flush()

    def close(self) -> None:
        self.event_writer.close()

    def reopen(self) -> None:
        self.event_writer.reopen()


def _serialize(message: Any, what: str, wanted: str) -> bytes:
    if not hasattr(message, "SerializeToString"):
        raise TypeError(f"{what} must be {wanted}, got {type(message).__name__}: {message!r:.60}")
    return bytes(message.SerializeToString())
