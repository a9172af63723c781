"""Oracle: a simple reader of complete files with the same rules, in plain Python.

It reads only what tests/store/event_file_builder.py writes.
"""

import struct
from collections import defaultdict
from pathlib import Path

from lossboard.store.run import Run
from tests.store.event_file_builder import masked

MAX_PAYLOAD = 2**31 - 1

Point = tuple[int, float, bytes, bool]
"""step, wall time, the value (a scalar's eight bytes, or the message), hidden"""
Series = dict[tuple[str, str], list[Point]]


def payloads(data: bytes) -> list[bytes]:
    """Returns the valid payloads of a file that may be incomplete."""
    found, at = [], 0
    while at + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        if struct.unpack_from("<I", data, at + 8)[0] != masked(data[at : at + 8]):
            at = resync(data, at + 1)
        elif length > MAX_PAYLOAD:
            at = resync(data, at + 12)
        else:
            payload, footer = data[at + 12 : at + 12 + length], data[at + 12 + length : at + 16 + length]
            if footer == struct.pack("<I", masked(payload)):
                found.append(payload)
                at += length + 16
            else:  # corrupt or incomplete
                at = resync(data, at + 12)
    return found


def resync(data: bytes, at: int) -> int:
    while at + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, at)
        fits = length <= MAX_PAYLOAD and struct.unpack_from("<I", data, at + 8)[0] == masked(data[at : at + 8])
        if fits:
            return at
        at += 1
    return len(data)


def varint(data: bytes, at: int) -> tuple[int, int]:
    number, shift = 0, 0
    while True:
        byte = data[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def fields(data: bytes) -> list[tuple[int, int | bytes]]:
    found: list[tuple[int, int | bytes]] = []
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
            found.append((key >> 3, value))
            continue
        size, at = varint(data, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
        found.append((key >> 3, data[at : at + size]))
        at += size
    return found


def one(message: bytes, number: int, default: int | bytes = b"") -> int | bytes:
    return next((value for key, value in reversed(fields(message)) if key == number), default)


def signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number


class Oracle:
    def __init__(self, folder: Path) -> None:
        self.series: dict[tuple[str, str], list[list[object]]] = defaultdict(list)
        self.plugins: dict[str, str] = {}
        self.starts = 0
        for path in sorted(folder.glob("*tfevents*")):
            for payload in payloads(path.read_bytes()):
                self.take(payload)

    def take(self, payload: bytes) -> None:
        (wall_time,) = struct.unpack("<d", one(payload, 1, bytes(8)))
        step = signed(one(payload, 2, 0))
        for number, body in fields(payload):
            if number == 4:
                self.add("graphs", "__run_graph__", step, wall_time, body)
            if number == 5:
                for _, value in fields(body):
                    self.take_value(step, wall_time, value)
            if number == 7 and one(body, 1, 0) == 1:
                self.starts += 1
                if self.starts > 1:
                    for (plugin, _), points in self.series.items():
                        if plugin != "graphs":
                            hide(points, step)

    def take_value(self, step: int, wall_time: float, value: bytes) -> None:
        tag = one(value, 1).decode()
        metadata = dict(fields(value)).get(9)
        if metadata is not None:
            self.plugins.setdefault(tag, one(one(metadata, 1), 1).decode())
        kinds = {number for number, _ in fields(value)}
        if 2 in kinds:
            (number,) = struct.unpack("<f", one(value, 2))
            self.add("scalars", tag, step, wall_time, struct.pack("<d", number))
        elif 5 in kinds:
            self.add("histograms", tag, step, wall_time, value)
        elif 8 in kinds:
            self.add(self.plugins.get(tag, ""), tag, step, wall_time, value)

    def add(self, plugin: str, tag: str, step: int, wall_time: float, value: bytes) -> None:
        points = self.series[plugin, tag]
        hide(points, step)
        points.append([step, wall_time, value, False])

    def seen(self) -> Series:
        return {key: [tuple(point) for point in points] for key, points in self.series.items()}


def hide(points: list[list[object]], step: int) -> None:
    for point in points:
        point[3] = point[3] or point[0] >= step


def seen(run: Run | None) -> Series:
    """Returns the series of the store, and checks that its methods agree."""
    found = {}
    for info in run.index() if run else []:
        attempts = run.attempts(info.plugin, info.tag)
        if info.plugin == "scalars":
            visible = run.column(info.tag)
            values = [struct.pack("<d", value) for value in attempts.values]
        else:
            visible = run.references(info.plugin, info.tag)
            values = [attempts.read(i) for i in range(len(attempts))]
        points = list(
            zip(attempts.steps.tolist(), attempts.wall_times.tolist(), values, attempts.hidden.tolist(), strict=True)
        )
        shown = [point for point in points if not point[3]]
        assert visible.steps.tolist() == [point[0] for point in shown]
        assert visible.wall_times.tolist() == [point[1] for point in shown]
        assert (info.count, info.hidden) == (len(shown), len(points) - len(shown))
        assert (info.first_step, info.last_step) == ((shown[0][0], shown[-1][0]) if shown else (None, None))
        last = None if info.last_value is None else struct.pack("<d", info.last_value)
        assert last == (shown[-1][2] if shown and info.plugin == "scalars" else None)
        found[info.plugin, info.tag] = points
    return found
