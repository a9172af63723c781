"""Randomly corrupted files: only modified records are lost, and no wrong data is read. `make fuzz` uses more seeds."""

import random
import sys
import tempfile
from pathlib import Path

from lossboard.store.logdir import Logdir
from tests.store.event_file_builder import scalar, version, write

POINTS = 10_000
HOLE_BYTES = 4096


def clean_file() -> bytes:
    return version() + b"".join(scalar("loss", step, step * 0.5) for step in range(POINTS))


def flip(data: bytearray, rng: random.Random, times: int) -> int:
    """How many points that may cost: each flip lies in one record."""
    for _ in range(times):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return times


def punch(data: bytearray, rng: random.Random) -> int:
    """A hole of zeros costs the records that it touches."""
    at = rng.randrange(len(data) - HOLE_BYTES)
    data[at : at + HOLE_BYTES] = bytes(HOLE_BYTES)
    return HOLE_BYTES // len(scalar("loss", 1, 1)) + 2


DAMAGES = {
    "1 flip": lambda data, rng: flip(data, rng, 1),
    "100 flips": lambda data, rng: flip(data, rng, 100),
    "hole": punch,
}


def assert_bears(clean: bytes, folder: Path, damage: str, seed: int) -> None:
    data = bytearray(clean)
    may_lose = DAMAGES[damage](data, random.Random(f"{damage} {seed}"))
    path = write(folder, data, name=f"{seed}.tfevents")
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    run = logdir.runs["."]
    column = run.column("loss")
    assert len(column) >= POINTS - may_lose, (damage, seed)
    assert (column.values == column.steps * 0.5).all(), (damage, seed)
    assert (column.wall_times == 1.7e9 + column.steps).all(), (damage, seed)
    assert 1 <= run.health.records <= may_lose, (damage, seed)
    assert sum(place.bytes for place in run.health.places) == run.health.bytes, (damage, seed)
    path.unlink()


def main(seeds: int) -> None:
    clean = clean_file()
    with tempfile.TemporaryDirectory() as name:
        for damage in DAMAGES:
            for seed in range(seeds):
                assert_bears(clean, Path(name), damage, seed)
            print(f"{damage}: {seeds} seeds, never more lost than touched, never a wrong point")


if __name__ == "__main__":
    main(int(sys.argv[1]))
