"""Reads back the scalars that a writer has written, for `export_scalars_to_json`."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from lossboard.events.summary import SIMPLE_VALUE, Event, Value

_LENGTH_AND_CRC, _CRC = 12, 4


def read_scalars(folder: Path, tag: str) -> list[tuple[float, int, float]]:
    """Returns wall time, step and value of each point, in the order of writing."""
    found = []
    for path in sorted(folder.glob("*tfevents*")):
        for record in _records(path.read_bytes()):
            event = Event.parse(record)
            for value in map(Value.parse, event.values):
                if value.tag == tag and value.data_field == SIMPLE_VALUE:
                    found.append((event.wall_time, event.step, _shortest(value.body)))
    return found


def _records(data: bytes) -> Iterator[bytes]:
    at = 0
    while at + _LENGTH_AND_CRC <= len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        yield data[at + _LENGTH_AND_CRC : at + _LENGTH_AND_CRC + size]
        at += _LENGTH_AND_CRC + size + _CRC


def _shortest(body: memoryview) -> float:
    """Returns the shortest decimal that is the same float32: 0.1, not 0.10000000149."""
    (value,) = struct.unpack("<f", body)
    return float(str(np.float32(value)))
