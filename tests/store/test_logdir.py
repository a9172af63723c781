"""Logdir: finds and follows runs."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from lossboard.errors import LogdirError
from lossboard.store.logdir import Logdir, Root
from lossboard.store.logdir_watcher import LogdirWatcher
from tests.store.event_file_builder import (
    event,
    record,
    scalar,
    session_start,
    summary,
    tensor,
    text_tensor,
    version,
    write,
)


def opened(spec: str | Path | list[str]) -> Logdir:
    logdir = Logdir.parse(spec)
    logdir.poll()
    return logdir


def steps(logdir: Logdir, run: str = ".", tag: str = "loss") -> list[int]:
    return logdir.runs[run].column(tag).steps.tolist()


def points(*steps: int) -> bytes:
    return b"".join(scalar("loss", step, step) for step in steps)


def test_run_is_a_folder_with_event_files(tmp_path: Path) -> None:
    for name in ("", "a", "a/b/c", "d.tfevents"):
        write(tmp_path / name, version())
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "events.out").touch()
    assert set(opened(tmp_path).runs) == {".", "a", "a/b/c", "d.tfevents"}


def test_runs_are_ordered_by_first_wall_time_then_name(tmp_path: Path) -> None:
    write(tmp_path / "late", scalar("loss", 0, 0, wall_time=3))
    write(tmp_path / "early_b", scalar("loss", 0, 0, wall_time=1), scalar("loss", 1, 0, wall_time=0))
    write(tmp_path / "early_a", scalar("loss", 0, 0, wall_time=1))
    write(tmp_path / "a_empty")
    logdir = opened(tmp_path)
    assert list(logdir.runs) == ["early_a", "early_b", "late", "a_empty"]
    run = logdir.runs["early_b"]
    assert (run.start, run.last, run.path) == (1, 1, tmp_path / "early_b")
    assert (logdir.runs["a_empty"].start, logdir.runs["a_empty"].last) == (None, None)
    write(tmp_path / "a_empty", scalar("loss", 0, 0, wall_time=2))
    logdir.poll()
    assert list(logdir.runs) == ["early_a", "early_b", "a_empty", "late"]


def test_several_roots_have_unique_names(tmp_path: Path) -> None:
    for name in ("one/run", "two", "deep/one"):
        write(tmp_path / name, version())
    one, two, deep = (tmp_path / name for name in ("one", "two", "deep/one"))
    assert set(opened(f"a:{one},b:{two}").runs) == {"a/run", "b"}
    assert set(opened([str(one), str(two)]).runs) == {"one/run", "two"}
    assert set(opened([str(one), str(deep)]).runs) == {f"{one}/run".strip("/"), str(deep).strip("/")}
    assert set(opened(f"{tmp_path}/*o*").runs) == {"one/run", "two"}
    assert Logdir.parse("gs://bucket/x").roots == (Root(Path("gs://bucket/x")),)
    with pytest.raises(LogdirError, match="No directory matches"):
        Logdir.parse(f"{tmp_path}/nothing*")


def test_root_that_appears_later_is_found(tmp_path: Path) -> None:
    logdir = opened(tmp_path / "later")
    assert not logdir.runs
    write(tmp_path / "later", points(1))
    assert logdir.poll().added == (".",)


def test_each_folder_is_one_run_by_its_own_name_or_by_that_of_a_link(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "run", points(1, 2))
    write(tmp_path / "elsewhere" / "other", points(3))
    (tmp_path / "logs" / "latest").symlink_to("run")
    (tmp_path / "logs" / "run" / "up").symlink_to("..")
    (tmp_path / "logs" / "self").symlink_to("self")
    (tmp_path / "logs" / "out2").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "logs" / "out").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "logs" / "other").symlink_to(tmp_path / "elsewhere" / "other")
    (tmp_path / "elsewhere" / "back").symlink_to(tmp_path / "logs")
    (tmp_path / "logs" / "linked.tfevents").symlink_to("run/events.out.tfevents.1")
    logdir = opened(tmp_path / "logs")
    assert set(logdir.runs) == {".", "run", "other"}
    (tmp_path / "logs" / "other").unlink()
    changes = logdir.poll()
    assert (changes.added, changes.removed) == (("out/other",), ("other",))


@pytest.mark.parametrize("count", [12, 40])
def test_folders_that_link_to_each_other_are_listed_once(tmp_path: Path, count: int) -> None:
    names = {f"f{i}" for i in range(count)}
    for name in names:
        write(tmp_path / name, version())
        for other in names - {name}:
            (tmp_path / name / f"to_{other}").symlink_to(tmp_path / other)
    assert set(opened(tmp_path).runs) == names


def test_trash_is_not_a_run(tmp_path: Path) -> None:
    write(tmp_path / ".lossboard-trash" / "old", version())
    assert not opened(tmp_path).runs


def test_poll_reads_new_data_and_returns_changes(tmp_path: Path) -> None:
    path = write(tmp_path / "a", points(0), scalar("still", 0, 0))
    write(tmp_path / "b", points(0))
    logdir = Logdir.parse(tmp_path)
    first = logdir.poll()
    assert (first.cursor, set(first.added), first.removed) == (1, {"a", "b"}, ())
    assert {name: first.grown[name] for name in first.grown} == {
        "a": {("scalars", "loss"), ("scalars", "still")},
        "b": {("scalars", "loss")},
    }
    assert not logdir.poll()
    assert logdir.cursor == 1
    with path.open("ab") as file:
        file.write(points(1))
    change = logdir.poll()
    assert (change.cursor, change.added, dict(change.grown)) == (2, (), {"a": {("scalars", "loss")}})
    assert [run.changed_at for run in logdir.runs.values()] == [2, 1]
    assert {info.tag: info.changed_at for info in logdir.runs["a"].index()} == {"loss": 2, "still": 1}
    assert steps(logdir, "a") == [0, 1]


def test_deleted_run_is_removed_and_its_arrays_stay_valid(tmp_path: Path) -> None:
    path = write(tmp_path / "a", points(0, 1))
    write(tmp_path / "b", points(0))
    logdir = opened(tmp_path)
    held = logdir.runs["a"].column("loss")
    path.unlink()
    assert logdir.poll().removed == ("a",)
    assert list(logdir.runs) == ["b"]
    assert held.steps.tolist() == [0, 1]
    write(tmp_path / "a", points(7))
    assert logdir.poll().added == ("a",)
    assert steps(logdir, "a") == [7]


@pytest.mark.parametrize("step", ["_new_run", "_in_order"])
def test_poll_that_runs_out_of_memory_in_python_loses_no_news(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def run_out(*_: object) -> None:
        raise MemoryError

    names = {f"run{i}" for i in range(3)}
    for name in names:
        write(tmp_path / name, points(0))
    logdir = Logdir.parse(tmp_path)
    with monkeypatch.context() as patch, pytest.raises(MemoryError):
        patch.setattr(Logdir, step, run_out)
        logdir.poll()
    changes = logdir.poll()
    assert (set(changes.added), set(changes.grown), set(logdir.runs)) == (names, names, names)
    assert all(changes.grown[name] == {("scalars", "loss")} for name in names)
    assert not logdir.poll()


@pytest.mark.parametrize("by", ["truncation", "rename", "rewriting"])
def test_replaced_file_is_read_from_the_start(tmp_path: Path, by: str) -> None:
    path = write(tmp_path, version(), points(*range(10)))
    write(tmp_path, points(20), name="z.tfevents")
    logdir = opened(tmp_path)
    other = record(event(0, b"", wall_time=5)) + points(*range(100, 120))
    if by == "truncation":
        path.write_bytes(points(3))
    elif by == "rename":
        write(tmp_path, other, name="new").rename(path)
    else:  # as tensorboardX does within one second: the same name, truncated and longer by the time of the poll
        path.write_bytes(other)
    logdir.poll()
    assert steps(logdir) == ([3, 20] if by == "truncation" else [20])
    assert len(logdir.runs["."].attempts("scalars", "loss")) == (2 if by == "truncation" else 21)


def rewrite(path: Path, at: int, data: bytes) -> None:
    """Writes over bytes of the file. Its time of modification differs, however coarse the clock."""
    modified_ns = path.stat().st_mtime_ns
    with path.open("r+b") as file:
        file.seek(at)
        file.write(data)
    os.utime(path, ns=(modified_ns + 1, modified_ns + 1))


def test_records_that_are_rewritten_in_place_are_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, version(), points(*range(10)))
    logdir = opened(tmp_path)
    rewrite(path, len(version() + points(*range(4))), scalar("loss", 4, 99))
    logdir.poll()
    assert logdir.runs["."].column("loss").values.tolist() == [0, 1, 2, 3, 99, 5, 6, 7, 8, 9]


def test_file_that_is_only_touched_is_not_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, version(), points(*range(10)), points(3)[:-1], points(10))
    logdir = opened(tmp_path)
    held = logdir.runs["."].column("loss")
    rewrite(path, 0, b"")
    assert dict(logdir.poll().grown) == {".": frozenset()}
    assert np.shares_memory(logdir.runs["."].column("loss").values, held.values)
    assert logdir.runs["."].health.records == 1


def test_file_that_is_truncated_and_grows_between_polls_is_read_again(tmp_path: Path) -> None:
    path = write(tmp_path, version(), points(*range(10)))
    logdir = opened(tmp_path)
    with path.open("r+b") as file:
        file.truncate(len(version() + points(*range(4))))
        file.seek(0, os.SEEK_END)
        file.write(points(*range(50, 70)))
    logdir.poll()
    assert steps(logdir) == [0, 1, 2, 3, *range(50, 70)]


def test_incomplete_record_that_is_replaced_is_forgotten(tmp_path: Path) -> None:
    path = write(tmp_path, version(), points(0), scalar("x" * 100, 1, 1)[:60])
    logdir = opened(tmp_path)
    with path.open("r+b") as file:
        file.truncate(len(version() + points(0)))
        file.seek(0, os.SEEK_END)
        file.write(points(1) + points(2))
    logdir.poll()
    assert steps(logdir) == [0, 1, 2]
    assert logdir.runs["."].health.records == 0


@pytest.mark.parametrize("grows", [False, True])
@pytest.mark.parametrize("visible_after", [0, 3])
@pytest.mark.parametrize("missing", [(0, 200), (5, 200), (20, 30), (48, 60), (40, 500)])
def test_bytes_that_arrive_after_the_length_are_read(
    tmp_path: Path, missing: tuple[int, int], visible_after: int, grows: bool
) -> None:
    # As a network file system may show a file: zeros in place of a page, then the page.
    before, late = version() + points(0, 1), points(*range(2, 12))
    after = points(*range(12, 12 + visible_after))
    first, end = missing[0], min(missing[1], len(late))
    path = write(tmp_path, before, late[:first], bytes(end - first), late[end:], after)
    logdir = opened(tmp_path)
    if grows:
        with path.open("ab") as file:
            file.write(points(50))
    rewrite(path, len(before) + first, late[first:end])
    logdir.poll()
    assert steps(logdir) == [*range(12 + visible_after), *([50] if grows else [])]
    assert logdir.runs["."].health.records == 0


def test_points_of_a_deleted_file_are_removed(tmp_path: Path) -> None:
    write(tmp_path, points(0, 1), name="a.tfevents")
    path = write(tmp_path, points(1, 2), name="b.tfevents")
    logdir = opened(tmp_path)
    path.unlink()
    logdir.poll()
    assert steps(logdir) == [0, 1]


def test_late_metadata_and_starts_apply_to_later_files(tmp_path: Path) -> None:
    note = tensor("note", text_tensor("x"))
    path = write(tmp_path, points(0, 1, 2), name="a.tfevents")
    write(tmp_path, record(event(1, summary(note))), session_start(2), points(5), name="b.tfevents")
    logdir = opened(tmp_path)
    assert logdir.runs["."].has("", "note")
    assert steps(logdir) == [0, 1, 2, 5]
    with path.open("ab") as file:
        file.write(session_start(0) + record(event(0, summary(tensor("note", text_tensor("y"), plugin="text")))))
    logdir.poll()
    assert logdir.runs["."].references("text", "note").steps.tolist() == [0, 1]
    assert not logdir.runs["."].has("", "note")
    assert steps(logdir) == [0, 1, 5]


def test_new_file_is_read_in_name_order(tmp_path: Path) -> None:
    write(tmp_path, points(3, 4), name="b.tfevents")
    logdir = opened(tmp_path)
    write(tmp_path, points(2, 3, 9), name="a.tfevents")
    logdir.poll()
    assert steps(logdir) == [2, 3, 4]


def test_zeros_that_turn_into_a_record_are_read(tmp_path: Path) -> None:
    """Some network file systems report the new length before the bytes arrive."""
    tail = points(1, 2)
    path = write(tmp_path, points(0), bytes(len(tail)))
    logdir = opened(tmp_path)
    assert logdir.runs["."].health.bytes == len(tail)
    path.write_bytes(points(0) + tail + points(3))
    logdir.poll()
    assert steps(logdir) == [0, 1, 2, 3]
    assert logdir.runs["."].health.bytes == 0


def test_stats_count_all_runs(tmp_path: Path) -> None:
    write(tmp_path / "a", points(0, 1, 1), record(event(0, summary(tensor("t", text_tensor("x"))))), record(b"\xff"))
    write(tmp_path / "b", points(0))
    stats = opened(tmp_path).stats()
    assert (stats.runs, stats.tags, stats.points, stats.blobs) == (2, 3, 4, 1)
    assert (stats.skipped_records, stats.skipped_bytes) == (1, 17)
    assert stats.bytes == sum(path.stat().st_size for path in tmp_path.rglob("*tfevents*"))


def test_file_names_that_are_not_utf8_are_read(tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/r\xff")
    write(Path(folder), points(1))
    assert [os.fsencode(name) for name in opened(tmp_path).runs] == [b"r\xff"]


def test_reading_while_another_thread_polls(tmp_path: Path) -> None:
    path = write(tmp_path, points(0))
    logdir = opened(tmp_path)
    restarts = 3

    def grow() -> None:
        with path.open("ab") as file:
            for step in [*range(300)] * restarts:
                file.write(points(step))
                file.flush()
                logdir.poll()

    with ThreadPoolExecutor(1) as pool:
        growing = pool.submit(grow)
        while not growing.done():
            column = logdir.runs["."].column("loss")
            assert column.steps.tolist() == column.values.tolist()
            attempts = logdir.runs["."].attempts("scalars", "loss")
            assert attempts.steps.tolist() == attempts.values.tolist()
        growing.result()
    assert steps(logdir) == [*range(300)]
    assert len(logdir.runs["."].attempts("scalars", "loss").steps) == 1 + 300 * restarts


# So long that only a change ends a wait, and so short that a missed change fails the test with a message.
LONG_SECS = 60


@pytest.fixture
def stop() -> Iterator[threading.Event]:
    """Ends all waits of a test, also when the test fails."""
    stop = threading.Event()
    yield stop
    stop.set()


def test_wait_returns_false_at_the_timeout(tmp_path: Path, stop: threading.Event) -> None:
    assert not LogdirWatcher([tmp_path / "missing"], stop=stop).wait(0.01)
    watcher = LogdirWatcher([tmp_path], stop=stop)
    assert watcher.wait(LONG_SECS), "the watch has just begun: what came before it is unreported"
    assert not watcher.wait(0.01)


def test_wait_returns_true_at_a_change_while_it_waits(tmp_path: Path, stop: threading.Event) -> None:
    watcher = LogdirWatcher([tmp_path, tmp_path / "missing"], stop=stop)
    watcher.wait(LONG_SECS)
    writer = threading.Timer(0.1, lambda: write(tmp_path / "run", version()))
    writer.start()
    assert watcher.wait(LONG_SECS)
    writer.join()


def test_wait_returns_true_at_a_change_before_it(tmp_path: Path, stop: threading.Event) -> None:
    path = write(tmp_path / "run", version())
    watcher = LogdirWatcher([tmp_path], stop=stop)
    watcher.wait(LONG_SECS)
    with path.open("ab") as file:
        file.write(version())
    assert watcher.wait(LONG_SECS)


def test_wait_returns_true_twice_after_a_new_folder(tmp_path: Path, stop: threading.Event) -> None:
    watcher = LogdirWatcher([tmp_path], stop=stop)
    watcher.wait(LONG_SECS)
    (tmp_path / "run").mkdir()
    assert [watcher.wait(LONG_SECS), watcher.wait(LONG_SECS)] == [True, True]


def test_wait_watches_a_root_after_it_appears(tmp_path: Path, stop: threading.Event) -> None:
    watcher = LogdirWatcher([tmp_path / "later"], stop=stop)
    assert not watcher.wait(0.01)
    (tmp_path / "later").mkdir()
    assert watcher.wait(LONG_SECS), "the watch has just begun"
    assert not watcher.wait(0.01)
    write(tmp_path / "later" / "run", version())
    assert watcher.wait(LONG_SECS)


def test_wait_ends_when_stop_is_set(tmp_path: Path, stop: threading.Event) -> None:
    watcher = LogdirWatcher([tmp_path], stop=stop)
    watcher.wait(LONG_SECS)
    stop.set()
    assert not watcher.wait(LONG_SECS)
