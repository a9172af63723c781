"""Files that claim more than they hold take memory and time in proportion to their real bytes."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from pathlib import Path

import crc32c
import pytest

from lossboard.store.logdir import Logdir
from tests.store.event_file_builder import (
    event,
    field,
    header,
    metadata,
    record,
    scalar,
    summary,
    text_tensor,
    version,
    write,
)

MB = 1 << 20
BEFORE = version() + scalar("loss", 0, 0)
AFTER = scalar("loss", 1, 1)

READ = """
import resource, sys
from lossboard.store.logdir import Logdir
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
logdir = Logdir.parse(sys.argv[1])
logdir.poll()
steps = [run.column("loss").steps.tolist() for run in logdir.runs.values()]
assert all(one == [0, 1] for one in steps), steps
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def peak_mb(folder: Path) -> int:
    done = subprocess.run([sys.executable, "-c", READ, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_split_message_is_joined_once(tmp_path: Path) -> None:
    for number in (8, 9):
        parts = field(number, b"") * 60_000
        first = field(8, text_tensor("x" * 1000)) if number == 8 else metadata("text", b"x" * 1000)
        body = summary(field(1, b"note") + first + parts + field(8, b""))
        write(tmp_path / str(number), BEFORE, record(event(0, body)), AFTER)
    assert peak_mb(tmp_path) < 50


def test_empty_values_take_no_memory(tmp_path: Path) -> None:
    write(tmp_path, BEFORE, record(event(0, field(5, b"\x0a\x00" * (16 * MB)))), AFTER)
    assert peak_mb(tmp_path) < 150  # the record itself takes 32 MB
    write(tmp_path, BEFORE, record(event(0, b"\x2a\x00" * (16 * MB))), AFTER)
    assert peak_mb(tmp_path) < 150


def masked_crc_of_zeros(prefix: bytes, zeros: int) -> int:
    crc, block = crc32c.crc32c(prefix), bytes(16 * MB)
    for _ in range(zeros // len(block)):
        crc = crc32c.crc32c(block, crc)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFF_FFFF


def test_sparse_records_are_skipped(tmp_path: Path) -> None:
    zeros = 1024 * MB
    # An Event with a field of zeros: valid, with the right CRC.
    prefix = b"\x52\x80\x80\x80\x80\x04"
    footer = masked_crc_of_zeros(prefix, zeros).to_bytes(4, "little")
    for run in range(4):
        path = write(tmp_path / str(run), BEFORE, header(len(prefix) + zeros), prefix)
        with path.open("r+b") as file:
            file.seek(zeros, os.SEEK_END)
            file.write(footer + AFTER)
        if path.stat().st_blocks * 512 > MB:
            pytest.skip("the file system has no sparse files")
    assert peak_mb(tmp_path) < 100


def test_large_records_that_are_data_are_read(tmp_path: Path) -> None:
    image = field(1, b"image") + field(4, field(4, zlib.compress(bytes(1000)) * 5_000_000))
    write(tmp_path, BEFORE, record(event(0, summary(image))), AFTER)
    assert (tmp_path / "events.out.tfevents.1").stat().st_size > 80 * MB
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    assert len(logdir.runs["."].references("images", "image")) == 1


@pytest.mark.parametrize("zeros", [11, 12, 13, 19, 20, 4096, 300_000, 10 * MB + 3])
def test_record_after_zeros_is_found(tmp_path: Path, zeros: int) -> None:
    # A length of 256 begins with a zero byte, an empty record with eight.
    for name, after in {"even": record(b"\x52\xfd\x01" + bytes(253)), "empty": record(b"")}.items():
        write(tmp_path / name, BEFORE, bytes(zeros), after, AFTER)
        path = write(tmp_path / f"{name} sparse", BEFORE)
        with path.open("r+b") as file:
            file.seek(zeros, os.SEEK_END)
            file.write(after + AFTER)
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    for run in logdir.runs.values():
        assert run.column("loss").steps.tolist() == [0, 1], run
        assert (run.health.records, run.health.bytes) == (1, zeros), run


def test_huge_hole_does_not_delay_a_poll(tmp_path: Path) -> None:
    path = write(tmp_path, BEFORE)
    os.truncate(path, 1 << 42)  # hours of reading
    with path.open("ab") as file:
        file.write(AFTER)
    if path.stat().st_blocks * 512 > MB:
        pytest.skip("the file system has no sparse files")
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    assert logdir.runs["."].column("loss").steps.tolist() == [0, 1]


def test_corrupt_file_that_grows_does_not_delay_other_files(tmp_path: Path) -> None:
    write(tmp_path, BEFORE, name="1.tfevents")
    write(tmp_path, scalar("other", 0, 0), name="2.tfevents")
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    with (tmp_path / "1.tfevents").open("ab") as file:
        file.write(b"\x01" * (100 * MB) + AFTER)
    with (tmp_path / "2.tfevents").open("ab") as file:
        file.write(scalar("other", 1, 1))
    run = logdir.runs["."]
    logdir.poll()
    assert run.column("other").steps.tolist() == [0, 1]
    assert run.column("loss").steps.tolist() == [0]  # the search goes on in the next poll
    logdir.poll()
    assert run.column("loss").steps.tolist() == [0, 1]
    assert run.health.records == 1
    assert not logdir.poll()


def test_first_poll_reads_corrupt_files_to_their_end(tmp_path: Path) -> None:
    write(tmp_path, BEFORE, b"\x01" * (100 * MB), AFTER)
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    assert logdir.runs["."].column("loss").steps.tolist() == [0, 1]


INTERRUPTED = """
import signal, sys, threading
from lossboard.store.logdir import Logdir
signal.signal(signal.SIGINT, signal.default_int_handler)
logdir = Logdir.parse(sys.argv[1])
def interrupt():
    while logdir.progress()[1] == 0:
        pass
    signal.raise_signal(signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    logdir.poll()
except KeyboardInterrupt:
    pass
else:
    sys.exit("not interrupted")
logdir.poll()
assert logdir.runs["."].column("loss").steps.tolist() == [0, 1]
"""


def test_ctrl_c_interrupts_a_poll_and_the_next_one_continues(tmp_path: Path) -> None:
    write(tmp_path, BEFORE, b"\x01" * (400 * MB), AFTER)  # takes much longer than the interval of signal checks
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
