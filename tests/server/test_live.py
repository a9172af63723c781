"""What open pages are told, and when."""

import asyncio

import pytest

from board_client import START, ServedBoard
from lossboard.server.live import MAX_SUBSCRIPTIONS, ChangeSet, _tags_by_kind, grew_message
from lossboard.store.run_ids import run_id


def heard(board, act):
    """What one open page hears of what `act` does."""

    async def listen():
        with board.follower.subscribe() as subscription:
            await asyncio.to_thread(act)
            return await subscription.next(2)

    return asyncio.run(listen())


def grow(board, run="a", tag="loss", step=10):
    board.write(run, {tag: [1.0]}, first_step=step, start=START + step)
    board.poll()


def test_growth_names_run_and_tag(board):
    changes = heard(board, lambda: grow(board))
    message = grew_message(changes, board.logdir.runs, board.follower.state)
    assert message["cursor"] == board.logdir.cursor
    assert message["runs"] == {run_id("a"): {"state": "live", "last": START + 10, "kinds": {"scalars": ["loss"]}}}
    assert not changes.runs


def test_a_new_run_is_told(board):
    changes = heard(board, lambda: grow(board, "c"))
    assert changes.runs


def test_nothing_new_is_not_told(board):
    async def listen():
        with board.follower.subscribe() as subscription:
            await asyncio.to_thread(board.poll)
            return await subscription.next(0.05)

    assert asyncio.run(listen()) is None


def test_a_slow_listener_finds_the_news_added_up(board):
    def act():
        grow(board, "a", "loss", 10)
        grow(board, "a", "other", 11)
        grow(board, "b", "loss", 12)

    changes = heard(board, act)
    assert changes.grown == {"a": {("scalars", "loss"), ("scalars", "other")}, "b": {("scalars", "loss")}}


def test_a_change_of_names_is_told_to_everyone(board):
    other = ServedBoard(board.folder)
    other.poll()
    changes = heard(other, lambda: (board.post("/api/views/save", {"name": "v", "state": ""}), other.poll()))
    assert changes.sidecar


def test_a_run_that_falls_silent_is_told(board, monkeypatch):
    grow(board)
    assert board.follower.state(board.logdir.runs["a"]) == "live"
    monkeypatch.setattr("lossboard.server.live.LIVE_SECS", -1)
    changes = heard(board, board.poll)
    assert changes.grown == {"a": set()}


def test_very_many_tags_are_one_star():
    assert _tags_by_kind([("scalars", str(i)) for i in range(201)]) == {"scalars": "*"}


def test_the_stream_of_events(board):
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


def test_too_many_pages(board, monkeypatch):
    monkeypatch.setattr("lossboard.server.live.MAX_SUBSCRIPTIONS", 0)
    assert MAX_SUBSCRIPTIONS == 200
    assert board.get("/api/live").error == "busy"


def test_the_thread_reads_follows_and_ends(board):
    board.follower.start()
    assert board.follower.loaded.wait(60)
    board.follower.stop()
    assert not board.follower._thread.is_alive()


@pytest.mark.parametrize("fault", [OSError("gone"), ValueError("odd")])
def test_one_failed_look_does_not_end_the_following(tmp_path, monkeypatch, caplog, fault):
    board = ServedBoard(tmp_path)
    polls = []
    real = board.logdir.poll

    def poll():
        polls.append(1)
        if len(polls) == 1:
            raise fault
        return real()

    monkeypatch.setattr(board.logdir, "poll", poll)
    board.follower._interval_secs = 0.01
    board.follower.start()
    assert board.follower.loaded.wait(60)
    board.follower.stop()
    assert "trying again" in caplog.text
