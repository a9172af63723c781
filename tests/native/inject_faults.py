"""Polls a logdir while calls of the core fail. Run by test_faults.py with the shim preloaded.

inject_faults.py SHIM FOLDER PROGRAM
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from lossboard.store.logdir import Changes, Logdir
from tests.store.event_file_builder import (
    event,
    field,
    graph,
    metadata,
    record,
    scalar,
    session_start,
    simple,
    summary,
    tensor,
    text_tensor,
    version,
    write,
)


class Shim:
    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)

    @contextlib.contextmanager
    def failing(self, call: str, at: int, *, times: int = 1, error: int = errno.ENOMEM) -> Iterator[None]:
        self._library.arm(call.encode(), ctypes.c_long(at), ctypes.c_long(times), error)
        try:
            yield
        finally:
            self._library.arm(b"", ctypes.c_long(0), ctypes.c_long(0), 0)

    @property
    def calls(self) -> int:
        """Number of calls while the last fault was armed."""
        return int(self._library.calls())


FIRST = [
    version(),
    *(scalar("loss", step, step) for step in range(40)),
    record(event(1, summary(*(simple(f"metric{i}", i) for i in range(10))))),
    record(event(1, summary(tensor("note", text_tensor("hello"), plugin="text")))),
    record(event(2, summary(field(1, b"large") + field(4, field(4, bytes(300_000)))))),
    graph(0, b"graph"),
    b"garbage",
    record(b"\xff"),
]
SECOND = [
    session_start(10),
    *(scalar("loss", step, -step) for step in range(20, 60)),
    *(scalar("loss", step, -step) for step in range(5, 60)),
    record(event(3, summary(field(1, b"note") + field(8, text_tensor("again")) + metadata("other")))),
    record(event(2, summary(*(simple(f"metric{i}", i) for i in range(12))))),
]


def write_runs(folder: Path, *, names: str = "abc") -> None:
    shutil.rmtree(folder, ignore_errors=True)
    for name in names:
        write(folder / name, *FIRST, name="1.tfevents")
        write(folder / name, *SECOND, name="2.tfevents")


def grow_runs(folder: Path) -> None:
    for path in sorted(folder.glob("*/*.tfevents")):
        with path.open("ab") as file:
            file.write(b"".join(SECOND))
    write(folder / "new", *FIRST)


def contents(logdir: Logdir) -> dict[str, object]:
    """Everything that the store shows, except cursors."""
    runs: dict[str, object] = {}
    for name, run in logdir.runs.items():
        rows = [(row.plugin, row.tag, row.count, row.hidden, row.first_step, row.last_step) for row in run.index()]
        points = {tag: run.attempts(plugin, tag).steps.tolist() for plugin, tag, *_ in rows}
        runs[name] = (rows, points, run.health, run.start, run.last)
    return {"runs": runs, "stats": logdir.stats()}


def cold(folder: Path) -> dict[str, object]:
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    return contents(logdir)


def out_of_memory(shim: Shim, folder: Path) -> None:
    """Each allocation of a poll fails in turn. The next poll repairs everything."""
    for call in ("new", "malloc"):
        at = 0
        while at == 0 or shim.calls >= at:
            at += 1
            check_shortage(shim, folder, call, at)
        print(call, at - 1)


def check_shortage(shim: Shim, folder: Path, call: str, at: int) -> None:
    for grown in (False, True):
        write_runs(folder)
        logdir = Logdir.parse(str(folder))
        if grown:
            logdir.poll()
            views = [(column := run.column("loss"), column.steps.tolist()) for run in logdir.runs.values()]
            grow_runs(folder)
            shutil.rmtree(folder / "c")
        with contextlib.suppress(MemoryError), shim.failing(call, at):
            logdir.poll()
        calls = shim.calls
        if grown:
            assert all(column.steps.tolist() == steps for column, steps in views), (call, at)
        logdir.poll()
        assert contents(logdir) == cold(folder), (call, at, grown)
        grow_runs(folder)
        changes = logdir.poll()
        assert set(changes.grown) == set(logdir.runs), (call, at, grown)
        assert contents(logdir) == cold(folder), (call, at, grown)
        if calls < at:
            return


def too_few_threads(shim: Shim, folder: Path) -> None:
    """The poll goes on with the threads that it gets."""
    for at in (1, 2, 3):
        write_runs(folder, names="abcdefgh")
        logdir = Logdir.parse(str(folder))
        with shim.failing("pthread_create", at, times=100, error=errno.EAGAIN):
            logdir.poll()
        assert contents(logdir) == cold(folder), at


def listing_errors(shim: Shim, folder: Path) -> None:
    """A call that fails while folders are listed removes no run, is reported, and is over with the next poll."""
    for call, error in (("openat", errno.EMFILE), ("getdents64", errno.EIO), ("fstatat", errno.EIO)):
        for times in (1, 1000):
            check_listing(shim, folder, call, times, error)


def check_listing(shim: Shim, folder: Path, call: str, times: int, error: int) -> None:
    write_runs(folder)
    logdir = Logdir.parse(str(folder))
    logdir.poll()
    before = contents(logdir)
    at = 0
    while at == 0 or (times == 1 and shim.calls >= at):
        at += 1
        with shim.failing(call, at, times=times, error=error):
            changes: Changes = logdir.poll()
        assert not changes.removed and not changes.added, (call, at)
        assert logdir.stats().points == before["stats"].points, (call, at)  # type: ignore[attr-defined]
        if times > 1 and call != "fstatat":
            reasons = {place.why for run in logdir.runs.values() for place in run.health.places}
            assert f"cannot be listed: {os.strerror(error)}" in reasons, (call, at)
        logdir.poll()
        assert contents(logdir) == before, (call, at)


def read_errors(shim: Shim, folder: Path) -> None:
    """A read that fails is repeated by the next poll."""
    at = 0
    while at == 0 or shim.calls >= at:
        at += 1
        write_runs(folder)
        logdir = Logdir.parse(str(folder))
        with shim.failing("pread", at, error=errno.EIO):
            logdir.poll()
        calls = shim.calls
        logdir.poll()
        assert contents(logdir) == cold(folder), at
        if calls < at:
            return


PROGRAMS: dict[str, Callable[[Shim, Path], None]] = {
    program.__name__: program for program in (out_of_memory, too_few_threads, listing_errors, read_errors)
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[3]](Shim(sys.argv[1]), Path(sys.argv[2]))
