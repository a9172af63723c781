"""The event writer between threads, forks and slow disks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lossboard._core import EventWriter
from lossboard.store.logdir import Logdir
from tests.store.event_file_builder import event, field, metadata, record, summary, write

ROOT = Path(__file__).parents[2]
MB = 1 << 20


def test_first_record_larger_than_the_backlog_is_written(tmp_path: Path) -> None:
    writer = EventWriter(str(tmp_path), "", float, int)
    writer.event(4, bytes(65 * MB), 0, None)
    assert (writer.lost, writer.waiting) == (0, 0)
    writer.close(True)
    writer.event(4, bytes(65 * MB), 1, None)
    assert (writer.lost, writer.waiting) == (0, 0)
    writer.close(True)
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    assert logdir.runs["."].references("graphs", "__run_graph__").steps.tolist() == [0, 1]


SLOW_FLUSH = """
import ctypes, os, sys, threading
from lossboard._core import EventWriter
shim = ctypes.CDLL(sys.argv[1])
writer = EventWriter(sys.argv[2], "", float, int)
writer.scalar("x", 1.0, 1, None)
receive, send = os.pipe()
shim.arm(b"fdatasync", ctypes.c_long(1), ctypes.c_long(1), -receive)
threads = [threading.Thread(target=writer.flush)]
threads[0].start()
while shim.calls() == 0:
    pass
calls = [
    lambda: writer.scalar("x", 2.0, 2, None),
    lambda: writer.summary([b""], 3, None),
    lambda: writer.fault,
    lambda: writer.waiting,
    lambda: writer.path,
]
threads += [threading.Thread(target=call) for call in calls]
for thread in threads[1:]:
    thread.start()
# They wait for the flush. This thread still runs, and ends it.
os.write(send, b"x")
for thread in threads:
    thread.join()
writer.close(True)
"""


def test_flush_to_a_slow_disk_does_not_block_python(tmp_path: Path, shim: Path, faulty: dict[str, str]) -> None:
    command = [sys.executable, "-c", SLOW_FLUSH, str(shim), str(tmp_path)]
    done = subprocess.run(command, env=faulty, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    logdir = Logdir.parse(str(tmp_path))
    logdir.poll()
    assert logdir.runs["."].column("x").steps.tolist() == [1, 2]


COUNTED_FLUSHES = """
import ctypes, sys
from lossboard import SummaryWriter
shim = ctypes.CDLL(sys.argv[1])
writer = SummaryWriter(sys.argv[2])

def syncs():
    shim.arm(b"fdatasync", ctypes.c_long(0), ctypes.c_long(0), 0)
    writer.flush()
    return shim.calls()

writer.add_scalar("x", 1.0, 1)
writer.add_scalars("m", {"a": 1.0, "b": 2.0}, 1)
print(syncs(), syncs())
writer.add_scalars("m", {"b": 3.0}, 2)
print(syncs(), syncs())
"""


def test_flush_syncs_only_files_that_have_grown(tmp_path: Path, shim: Path, faulty: dict[str, str]) -> None:
    command = [sys.executable, "-c", COUNTED_FLUSHES, str(shim), str(tmp_path)]
    done = subprocess.run(command, env=faulty, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("3 0\n1 0\n", "")


FORKS = """
import os, sys, threading
from lossboard._core import EventWriter
from lossboard.store.logdir import Logdir

def poll():
    while not stop.is_set():
        Logdir.parse(sys.argv[1]).poll()

def create_files():
    while not stop.is_set():
        writer = EventWriter(sys.argv[2], "", float, int)
        writer.scalar("x", 1.0, 1, None)
        writer.close(True)

stop = threading.Event()
threads = [threading.Thread(target=work) for work in (poll, poll, create_files)]
for thread in threads:
    thread.start()
for _ in range(200):
    child = os.fork()
    if child == 0:
        logdir = Logdir.parse(sys.argv[1])
        logdir.poll()
        writer = EventWriter(sys.argv[2] + "/child", "", float, int)
        writer.scalar("x", 1.0, 1, None)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
for thread in threads:
    thread.join()
"""


@pytest.mark.skipif("LOSSBOARD_CORE" in os.environ, reason="a sanitizer's own locks block a forked child")
def test_forked_children_can_poll_and_log(tmp_path: Path) -> None:
    values = [field(1, f"t{i}".encode()) + field(8, b"") + metadata(f"plugin{i}") for i in range(2000)]
    write(tmp_path / "runs", record(event(0, summary(*values))))
    command = [sys.executable, "-c", FORKS, str(tmp_path / "runs"), str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
