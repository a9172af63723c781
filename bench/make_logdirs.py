"""Writes logdirs for benchmarks: event files like those of torch's SummaryWriter, the same every time.

    python bench/make_logdirs.py OUT [--scale 0.01] [long many wide hist …]

long   one run, 10 tags × 100 000 steps          many     1000 runs × 10 tags × 100 steps
wide   one run, 10 000 tags × 20 steps           hist     one run, 200 histograms × 100 steps
runs   100 000 runs of one tag and 10 steps      tags     one run of 1 000 000 tags, one step
"""

from __future__ import annotations

import argparse
import math
import random
import struct
from collections.abc import Callable
from pathlib import Path

import crc32c

from lossboard.events.wire import bytes_field, varint

Value = Callable[[str, int, random.Random], bytes]


def masked(data: bytes) -> int:
    crc = crc32c.crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFF_FFFF


def record(payload: bytes) -> bytes:
    header = struct.pack("<Q", len(payload))
    return header + struct.pack("<I", masked(header)) + payload + struct.pack("<I", masked(payload))


def event(wall_time: float, step: int, value: bytes) -> bytes:
    at = b"\x10" + varint(step) if step else b""
    return record(b"\x09" + struct.pack("<d", wall_time) + at + bytes_field(5, bytes_field(1, value)))


def scalar(tag: str, step: int, rng: random.Random) -> bytes:
    value = 2 * math.exp(-step / 500) + 0.3 + 0.1 * rng.gauss(0, 1)
    return bytes_field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)


def histogram(tag: str, step: int, rng: random.Random) -> bytes:
    right = [1e-4 * 1.1**i for i in range(64)]
    edges = [-edge for edge in reversed(right)] + right
    counts = [float(rng.randrange(1000)) for _ in edges]
    numbers = (edges[0], edges[-1], sum(counts), 1.0, 2.0)
    head = b"".join(bytes([n << 3 | 1]) + struct.pack("<d", v) for n, v in enumerate(numbers, 1))
    packed = bytes_field(6, struct.pack(f"<{len(edges)}d", *edges)) + bytes_field(
        7, struct.pack(f"<{len(counts)}d", *counts)
    )
    return bytes_field(1, tag.encode()) + bytes_field(5, head + packed)


def write_run(folder: Path, tags: list[str], steps: int, value: Value, seed: int) -> None:
    rng = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    wall_time = 1.7e9 + seed * 10
    version = b"\x09" + struct.pack("<d", wall_time) + bytes_field(3, b"brain.Event:2")
    with (folder / f"events.out.tfevents.{int(wall_time)}.host.{seed}.0").open("wb") as file:
        file.write(record(version))
        for step in range(steps):
            wall_time += 0.05
            file.write(b"".join(event(wall_time, step, value(tag, step, rng)) for tag in tags))


def names(pattern: str, count: float) -> list[str]:
    return [pattern.format(i) for i in range(max(1, int(count)))]


def make(shape: str, out: Path, scale: float = 1) -> Path:
    """Returns the logdir of that shape in `out`. Writes it first if it does not exist."""
    folder = out / f"{shape}-{scale:g}"
    if (folder / "done").exists():
        return folder
    metrics = names("train/metric_{}", 10)
    if shape == "long":
        write_run(folder / "run", metrics, int(100_000 * scale), scalar, 1)
    elif shape == "wide":
        write_run(folder / "run", names("layer_{}/norm", 10_000 * scale), 20, scalar, 3)
    elif shape == "hist":
        write_run(folder / "run", names("encoder.layer.{}.weight", 200 * scale), 100, histogram, 4)
    elif shape == "tags":
        write_run(folder / "run", names("a/rather/long/tag_{}", 1_000_000 * scale), 1, scalar, 5)
    elif shape == "many":
        for i, name in enumerate(names("run_{:04d}", 1000 * scale)):
            write_run(folder / name, metrics, 100, scalar, i)
    elif shape == "runs":
        for i, name in enumerate(names("run_{:06d}", 100_000 * scale)):
            write_run(folder / name, ["loss"], 10, scalar, i)
    else:
        raise SystemExit(f"Unknown shape {shape!r}. The shapes are: long, many, wide, hist, runs, tags.")
    (folder / "done").touch()
    return folder


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("shapes", nargs="*", default=["long", "many", "wide", "hist"])
    parser.add_argument("--scale", type=float, default=1)
    options = parser.parse_args()
    for shape in options.shapes:
        print(make(shape, options.out, options.scale), flush=True)
