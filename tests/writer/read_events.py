"""Strict reader of event files for the tests. It checks both CRCs and fails on corrupt records."""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from crc32c import crc32c

from lossboard.events.summary import SIMPLE_VALUE, Event, Value


def masked(data: bytes) -> int:
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFF_FFFF


def payloads(path: Path, *, cut: bool = False) -> Iterator[bytes]:
    """Yields every record of a file and fails on a corrupt one. With `cut`, the last record may be incomplete."""
    data = path.read_bytes()
    at = 0
    while at < len(data) and not (cut and len(data) - at < 12):
        size, size_crc = struct.unpack_from("<QI", data, at)
        assert size_crc == masked(data[at : at + 8]), f"length damaged at {at} of {path.name}"
        body = data[at + 12 : at + 12 + size]
        if cut and at + size + 16 > len(data):
            return
        assert len(body) == size, f"torn record at {at} of {path.name}"
        assert struct.unpack_from("<I", data, at + 12 + size)[0] == masked(body), f"record damaged at {at}"
        yield body
        at += size + 16


def event_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*tfevents*"))


def events(folder: Path, *, cut: bool = False) -> Iterator[Event]:
    for path in event_files(folder):
        for body in payloads(path, cut=cut):
            yield Event.parse(body)


def scalars(folder: Path, *, cut: bool = False) -> dict[str, list[tuple[int, float]]]:
    """Returns tag → (step, value) in the order of the files."""
    found = defaultdict(list)
    for event in events(folder, cut=cut):
        for data in event.values:
            value = Value.parse(data)
            if value.data_field == SIMPLE_VALUE:
                found[value.tag].append((event.step, struct.unpack("<f", value.body)[0]))
    return dict(found)
