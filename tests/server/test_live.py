"""Notifications of open pages."""

import asyncio
import os
import threading

import pytest

from board_client import START, ServedBoard
from lossboard.server.live import MAX_SUBSCRIPTIONS, ChangeSet, _tags_by_kind, grew_message
from lossboard.store.logdir_watcher import LogdirWatcher
from lossboard.store.run_ids import run_id


def changes_during(board, act):
    """Returns the changes that one open page is notified of while `act` runs."""

    async def listen():
        with board.follower.subscribe() as subscription:
            await asyncio.to_thread(act)
            return await subscription.next(2)

    return asyncio.run(listen())


def grow(board, run="a", tag="loss", step=10):
    board.write(run, {tag: [1.0]}, first_step=step, start=START + step)
    board.poll()


def test_grew_message_has_run_and_tags(board):
    changes = changes_during(board, lambda: grow(board))
    message = grew_message(changes, board.logdir.runs, board.follower.state)
    assert message["cursor"] == board.logdir.cursor
    assert message["runs"] == {
        run_id("a"): {
            "state": "live",
            "last": START + 10,
            "bytes": board.logdir.runs["a"].bytes,
            "kinds": {"scalars": ["loss"]},
        }
    }
    assert not changes.runs


def test_new_run_is_notified(board):
    changes = changes_during(board, lambda: grow(board, "c"))
    assert changes.runs


def test_poll_without_changes_is_not_notified(board):
    async def listen():
        with board.follower.subscribe() as subscription:
            await asyncio.to_thread(board.poll)
            return await subscription.next(0.05)

    assert asyncio.run(listen()) is None


def test_pending_changes_are_merged(board):
    def act():
        grow(board, "a", "loss", 10)
        grow(board, "a", "other", 11)
        grow(board, "b", "loss", 12)

    changes = changes_during(board, act)
    assert changes.grown == {"a": {("scalars", "loss"), ("scalars", "other")}, "b": {("scalars", "loss")}}


def test_new_tag_among_many_is_notified(board):
    many = {f"tag/{i}": [1.0] for i in range(201)}
    board.write("a", many, start=START)
    board.poll()

    def new_tags(values):
        def act():
            board.write("a", values, first_step=20, start=START + 20)
            board.poll()

        return grew_message(changes_during(board, act), board.logdir.runs, board.follower.state)["new_tags"]

    assert new_tags(many) == []
    assert new_tags({**many, "new": [1.0]}) == ["scalars"]


def test_sidecar_change_of_another_board_is_notified(board):
    other = ServedBoard(board.folder)
    other.poll()
    changes = changes_during(other, lambda: (board.post("/api/views/save", {"name": "v", "state": ""}), other.poll()))
    assert changes.sidecar


def test_state_change_without_growth_is_notified(board, monkeypatch):
    grow(board)
    assert board.follower.state(board.logdir.runs["a"]) == "live"
    monkeypatch.setattr("lossboard.store.run_state.LIVE_SECS", -1)
    changes = changes_during(board, board.poll)
    assert changes.grown == {"a": set()}


def test_growth_of_very_many_runs_reloads_the_page(board, monkeypatch):
    monkeypatch.setattr("lossboard.server.live._MAX_RUNS_NAMED", 1)

    def act():
        board.write("a", {"loss": [1.0]}, first_step=10)
        board.write("b", {"loss": [1.0]}, first_step=10)
        board.poll()

    changes = changes_during(board, act)
    assert changes.runs and not changes.grown


def test_pages_share_the_changes_of_a_poll_until_one_is_slow(board):
    async def listen():
        with board.follower.subscribe() as fast, board.follower.subscribe() as slow:
            await asyncio.to_thread(grow, board, "a")
            first = await fast.next(2)
            await asyncio.to_thread(grow, board, "b")
            return first, await fast.next(2), await slow.next(2)

    first, second, both = asyncio.run(listen())
    assert (first.grown.keys(), second.grown.keys(), both.grown.keys()) == ({"a"}, {"b"}, {"a", "b"})


def test_more_than_200_tags_become_a_star():
    assert _tags_by_kind([("scalars", str(i)) for i in range(201)]) == {"scalars": "*"}


def test_event_stream_has_all_events(board):
    async def read():
        received = []

        async def send(message):
            received.append(message.get("body", b""))
            if len(received) == 2:
                board.follower.publish(ChangeSet(cursor=7, grown={"a": {("scalars", "loss")}}, runs=True, sidecar=True))
            if b"sidecar" in message.get("body", b""):
                board.follower.close_subscriptions()

        async def receive():
            await asyncio.sleep(3600)

        scope = {"type": "http", "method": "GET", "path": "/api/live", "raw_path": b"/api/live", "query_string": b""}
        scope |= {"headers": [(b"host", b"localhost")], "root_path": "", "server": ("127.0.0.1", 1), "scheme": "http"}
        await asyncio.wait_for(board.app(scope, receive, send), 60)
        return b"".join(received)

    stream = asyncio.run(read())
    at = b'event: at\ndata: {"cursor":%d,"loading":false}\n\n' % board.logdir.cursor
    assert stream.startswith(b"retry: 1000\n\n" + at)
    assert b'event: grew\ndata: {"cursor":7,' in stream
    assert b"event: runs\ndata: {}\n\n" in stream
    assert b"event: sidecar\ndata: {}\n\n" in stream


def test_stream_beyond_the_limit_returns_busy(board, monkeypatch):
    monkeypatch.setattr("lossboard.server.live.MAX_SUBSCRIPTIONS", 0)
    assert MAX_SUBSCRIPTIONS == 200
    assert board.get("/api/live").error == "busy"


def test_follower_loads_and_stops(board):
    board.follower.start()
    assert board.follower.loaded.wait(60)
    board.follower.stop()
    assert not board.follower._thread.is_alive()


class Panic(BaseException):
    """Like the exception of a panic in a Rust extension, which is not an Exception."""


@pytest.mark.parametrize("error", [OSError("gone"), ValueError("odd"), MemoryError(), Panic()])
def test_failed_poll_is_logged_reported_and_repeated(tmp_path, monkeypatch, caplog, error):
    board = ServedBoard(tmp_path)
    polls = []
    real = board.logdir.poll

    def poll():
        # Not again later: there may be further polls before the stop, and a stream that works has no error.
        polls.append(board.get("/api/live").error if len(polls) == 1 else "")
        if len(polls) == 1:
            raise error
        return real()

    monkeypatch.setattr(board.logdir, "poll", poll)
    board.follower._interval_secs = 0.01
    board.follower.start()
    assert board.follower.loaded.wait(60)
    board.follower.stop()
    assert "Trying again" in caplog.text
    assert polls[1] == "failing", "pages are not told that they are up to date"
    assert not board.follower.is_failing


def test_failed_poll_ends_the_streams_of_open_pages(board):
    async def listen():
        with board.follower.subscribe() as subscription:
            await asyncio.to_thread(board.follower._report_failure)
            await subscription.next(60)
            return subscription.closed

    assert asyncio.run(listen())


HOSTILE_NAMES = [
    b"caf\xe9.txt",
    b"events.out.tfevents.\xff\xfe",
    b"new\nline",
    b"\x1b[2J.tfevents",
    b"-rf",
    b"x" * 255,
    "\u202etxt.\U0001f600".encode(),
    b"\xed\xa0\x80",
    b"CON: ?*|<>&;$(id)`id`",
]


@pytest.mark.parametrize("kind", ["file", "directory", "dangling link", "link to itself", "FIFO"])
def test_follower_survives_hostile_names(tmp_path, kind):
    board = ServedBoard(tmp_path)
    board.write("a", {"loss": [1.0]})

    def make(name):
        path = tmp_path / os.fsdecode(name)
        match kind:
            case "file":
                path.write_bytes(b"?")
            case "directory":
                path.mkdir()
            case "dangling link":
                path.symlink_to("missing")
            case "link to itself":
                path.symlink_to(path.name)
            case "FIFO":
                os.mkfifo(path)

    async def listen():
        with board.follower.subscribe() as subscription:
            for step, name in enumerate(HOSTILE_NAMES, start=1):
                make(name)
                board.write("a", {"loss": [1.0]}, first_step=step, start=START + step)
                while (changes := await subscription.next(60)) is not None and "a" not in changes.grown:
                    assert not subscription.closed, "the follower failed"
                assert changes, f"the point after {name!r} did not arrive"

    board.follower._interval_secs = 0.05
    board.follower.start()
    try:
        assert board.follower.loaded.wait(60)
        asyncio.run(listen())
    finally:
        board.follower.stop()
    assert board.logdir.runs["a"].column("loss").steps.tolist() == list(range(len(HOSTILE_NAMES) + 1))


def test_watch_that_ended_starts_again_later(tmp_path, monkeypatch):
    monkeypatch.setattr("lossboard.store.logdir_watcher._PAUSE_SECS", 0)
    watcher = LogdirWatcher([tmp_path], stop=threading.Event())
    assert watcher.wait(0.01), "the watch started"
    (tmp_path / os.fsdecode(b"caf\xe9")).touch()
    assert watcher.wait(60), "the watch ended, after an unknown change"
    assert watcher.wait(60), "it started again"
    (tmp_path / "plain").touch()
    assert watcher.wait(60)
