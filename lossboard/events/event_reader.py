"""Reader of the raw events of one file, and of what only raw events have: writers, MetaGraphs, run metadata.

An event file is a sequence of TFRecords: length (8 bytes), masked CRC of the length (4), Event message, masked CRC of
the message (4). Corrupt records are skipped, and so is a record at the end that is not complete.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lossboard._core import crc32c, find_header
from lossboard.errors import DecodeError
from lossboard.events.summary import META_GRAPH_DEF, TAGGED_RUN_METADATA, Event

_HEADER = struct.Struct("<QI")
_FOOTER = struct.Struct("<I")
_MAX_RECORD_BYTES = (1 << 31) - 1
_SEARCH_BYTES = 1 << 20
_FIRST_BYTES = 1 << 20


def read(path: str | os.PathLike[str]) -> Iterator[Event]:
    """Yields the events of a file in file order, as they are stored."""
    with Path(path).open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield from _events(data)


def first_event(path: Path) -> Event | None:
    """Returns the first event of a file, or None if the first megabyte has none. It never waits, and never maps the
    file, so a FIFO or a file that is truncated meanwhile does no harm."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:  # removed, or not readable, which the health of the run says
        return None
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return next(_events(os.read(descriptor, _FIRST_BYTES)), None) if is_file else None
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class FileInfo:
    """Origin of an event file. Both texts are empty if the file does not state them."""

    path: Path
    version: str
    """For example `brain.Event:2`."""
    writer: str
    """The package that wrote the file, for example `tensorboard.summary.writer.event_file_writer`."""


def describe_file(path: Path) -> FileInfo:
    first = first_event(path)
    return FileInfo(path, first.file_version, first.source_writer) if first else FileInfo(path, "", "")


def last_meta_graph(paths: Iterable[Path]) -> bytes | None:
    """Returns the last MetaGraphDef, serialized."""
    graphs = [event.message.blob(META_GRAPH_DEF) for event in _events_with(META_GRAPH_DEF, paths)]
    return graphs[-1] if graphs else None


def run_metadata_by_tag(paths: Iterable[Path]) -> dict[str, bytes]:
    """Returns the last serialized RunMetadata of each tag."""
    tagged = (event.message.message(TAGGED_RUN_METADATA) for event in _events_with(TAGGED_RUN_METADATA, paths))
    return {message.text(1): message.blob(2) for message in tagged}


def _events_with(field: int, paths: Iterable[Path]) -> Iterator[Event]:
    return (event for path in paths for event in read(path) if field in event.message)


def _events(data: bytes | mmap.mmap) -> Iterator[Event]:
    for payload in _payloads(data):
        try:
            yield Event.parse(payload)
        except DecodeError:  # a valid record that does not hold an Event
            continue


def _payloads(data: bytes | mmap.mmap) -> Iterator[bytes]:
    at = 0
    while at + _HEADER.size <= len(data):
        length, crc = _HEADER.unpack_from(data, at)
        if _masked_crc(data[at : at + 8]) != crc or length > _MAX_RECORD_BYTES:
            at = _next_header(data, at + 1)
            continue
        start, end = at + _HEADER.size, at + _HEADER.size + length
        payload, footer = data[start:end], data[end : end + _FOOTER.size]
        if footer == _FOOTER.pack(_masked_crc(payload)):
            yield payload
            at = end + _FOOTER.size
        else:  # corrupt or cut off, so its length may be wrong too
            at = _next_header(data, start)


def _next_header(data: bytes | mmap.mmap, at: int) -> int:
    """Returns where the first valid header at or after `at` begins, or where the file ends."""
    while at + _HEADER.size <= len(data):
        piece = data[at : at + _SEARCH_BYTES]
        found = find_header(piece)
        at += found
        if found + _HEADER.size <= len(piece):
            return at
    return len(data)


def _masked_crc(data: bytes) -> int:
    # TFRecord rotates and offsets the CRC, so that a CRC of data that holds CRCs stays strong.
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFF_FFFF
