"""Reference implementation in plain Python, slow and simple. The core and the kinds are compared with it."""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import crc32c
import numpy as np

from lossboard.errors import DecodeError
from lossboard.events.summary import (
    AUDIO,
    GRAPH_DEF,
    HISTO,
    IMAGE,
    SESSION_LOG,
    SESSION_START,
    SIMPLE_VALUE,
    TENSOR,
    Event,
    Metadata,
    Value,
)
from lossboard.events.tensors import Tensor
from lossboard.events.wire import Message
from lossboard.kinds import kind_of

OLD = {SIMPLE_VALUE: "scalars", HISTO: "histograms", IMAGE: "images", AUDIO: "audio"}
MAX_RECORD_BYTES = 2**31 - 1


def masked(data: bytes) -> int:
    return mask(crc32c.crc32c(data))


def mask(crc: int) -> int:
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFF_FFFF


def frame(payload: bytes) -> bytes:
    """A record as it stands in an event file."""
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked(length)) + payload + struct.pack("<I", masked(payload))


def records(data: bytes) -> Iterator[bytes]:
    """Yields the payloads of all complete records. Searches for the next record after a corrupt length."""
    at = 0
    while at + 12 <= len(data):
        length, crc = struct.unpack_from("<QI", data, at)
        if masked(data[at : at + 8]) != crc or length > MAX_RECORD_BYTES:
            at += 1
            continue
        payload = data[at + 12 : at + 12 + length]
        end = at + 16 + length
        if end > len(data):
            return
        if masked(payload) == struct.unpack_from("<I", data, end - 4)[0]:
            yield payload
        at = end


@dataclass
class Stored:
    step: int
    wall_time: float
    payload: bytes
    hidden: bool = False


class References:
    def __init__(self, points: list[Stored]) -> None:
        self.points = points
        self.steps = np.array([p.step for p in points], np.int64)
        self.wall_times = np.array([p.wall_time for p in points], np.float64)
        self.hidden = np.array([p.hidden for p in points], bool)

    def __len__(self) -> int:
        return len(self.points)

    def read(self, index: int, max_bytes: int = 1 << 62) -> bytes:
        return self.points[index].payload


class Column(References):
    @property
    def values(self) -> np.ndarray:
        return np.array([struct.unpack("<d", p.payload)[0] for p in self.points], np.float64)


@dataclass(frozen=True)
class SeriesInfo:
    plugin: str
    tag: str
    count: int
    hidden: int
    first_step: int
    last_step: int


@dataclass
class Run:
    name: str
    path: Path
    series: dict[tuple[str, str], list[Stored]] = field(default_factory=lambda: defaultdict(list))
    first_metadata: dict[str, bytes] = field(default_factory=dict)
    starts: int = 0

    def take(self, event: Event) -> None:
        if SESSION_LOG in event.message and event.message.message(SESSION_LOG).uint64(1) == SESSION_START:
            self.starts += 1
            if self.starts > 1:
                for (plugin, _), points in self.series.items():
                    if plugin != "graphs":
                        hide(points, event.step)
        if GRAPH_DEF in event.message:
            self.add("graphs", "__run_graph__", event, event.message.blob(GRAPH_DEF))
        for data in event.values:
            self.take_value(event, bytes(data))

    def take_value(self, event: Event, data: bytes) -> None:
        value = Value.parse(data)
        tag = value.tag or (value.node_name if value.data_field == TENSOR else "")
        if value.metadata is not None:
            self.first_metadata.setdefault(tag, Message(data).blob(9))
        plugin = OLD.get(value.data_field or 0) or Metadata.parse(self.metadata(tag)).plugin
        if plugin == "scalars":
            if value.data_field == SIMPLE_VALUE:
                number = struct.unpack("<f", value.body)[0]
            elif value.data_field == TENSOR and Tensor.parse(value.body).array().size == 1:
                number = float(Tensor.parse(value.body).array().reshape(()))
            else:
                return
            self.add(plugin, tag, event, struct.pack("<d", number))
        elif value.data_field is not None or plugin == "hparams" or (plugin and kind_of(plugin).name == "tensors"):
            self.add(plugin, tag, event, data)

    def add(self, plugin: str, tag: str, event: Event, payload: bytes) -> None:
        points = self.series[plugin, tag]
        hide(points, event.step)
        points.append(Stored(event.step, event.wall_time, payload))

    def index(self) -> list[SeriesInfo]:
        return [
            SeriesInfo(plugin, tag, len(seen), len(points) - len(seen), seen[0].step, seen[-1].step)
            for (plugin, tag), points in self.series.items()
            if (seen := [p for p in points if not p.hidden])
        ]

    def has(self, plugin: str, tag: str) -> bool:
        return (plugin, tag) in self.series

    def metadata(self, tag: str) -> bytes:
        return self.first_metadata.get(tag, b"")

    def column(self, tag: str) -> Column:
        return Column([p for p in self.series["scalars", tag] if not p.hidden])

    def references(self, plugin: str, tag: str) -> References:
        return References([p for p in self.series[plugin, tag] if not p.hidden])

    def attempts(self, plugin: str, tag: str) -> References:
        return (Column if plugin == "scalars" else References)(self.series[plugin, tag])


def hide(points: list[Stored], step: int) -> None:
    for point in points:
        point.hidden |= point.step >= step


def read_run(path: Path, name: str) -> Run:
    run = Run(name, path)
    for file in sorted(path.iterdir()):
        if "tfevents" in file.name and file.is_file():
            for payload in records(file.read_bytes()):
                try:
                    event = Event.parse(payload)
                except DecodeError:
                    continue
                run.take(event)
    return run


def tensorboard_ema(values: list[float], weight: float) -> list[float]:
    """TensorBoard's smoothing, as its line chart computes it."""
    if all(value == values[0] for value in values):
        return list(values)
    smoothed, last, count = [], 0.0, 0
    for value in values:
        if not math.isfinite(value):
            smoothed.append(value)
            continue
        last = last * weight + (1 - weight) * value
        count += 1
        smoothed.append(last / (1 if weight == 1 else 1 - weight**count))
    return smoothed
