"""Builder of event files, with the same bytes as torch."""

import struct
from pathlib import Path

import crc32c


def masked(data: bytes) -> int:
    crc = crc32c.crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFF_FFFF


def header(length: int) -> bytes:
    head = struct.pack("<Q", length)
    return head + struct.pack("<I", masked(head))


def record(payload: bytes) -> bytes:
    return header(len(payload)) + payload + struct.pack("<I", masked(payload))


def varint(number: int) -> bytes:
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def double(number: int, value: float) -> bytes:
    return varint(number << 3 | 1) + struct.pack("<d", value)


def event(step: int, body: bytes, *, wall_time: float | None = None) -> bytes:
    wall_time = 1.7e9 + step if wall_time is None else wall_time
    return double(1, wall_time) + (b"\x10" + varint(step) if step else b"") + body


def summary(*values: bytes) -> bytes:
    return field(5, b"".join(field(1, value) for value in values))


def simple(tag: str, value: float) -> bytes:
    return field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)


def metadata(plugin: str, content: bytes = b"") -> bytes:
    return field(9, field(1, field(1, plugin.encode()) + (field(2, content) if content else b"")))


def tensor(tag: str, body: bytes, *, plugin: str | None = None) -> bytes:
    return field(1, tag.encode()) + field(8, body) + (metadata(plugin) if plugin is not None else b"")


def text_tensor(text: str) -> bytes:
    return b"\x08\x07" + field(8, text.encode())


def version() -> bytes:
    return record(double(1, 1.7e9) + field(3, b"brain.Event:2"))


def scalar(tag: str, step: int, value: float, *, wall_time: float | None = None) -> bytes:
    return record(event(step, summary(simple(tag, value)), wall_time=wall_time))


def session_start(step: int) -> bytes:
    return record(event(step, field(7, b"\x08\x01")))


def session_stop(*, wall_time: float = 1.7e9) -> bytes:
    return record(event(0, field(7, b"\x08\x02"), wall_time=wall_time))


def graph(step: int, graph_def: bytes) -> bytes:
    return record(event(step, field(4, graph_def)))


def write(folder: Path, *parts: bytes, name: str = "events.out.tfevents.1") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(b"".join(parts))
    return path
