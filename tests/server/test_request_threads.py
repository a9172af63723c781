"""Request threads: work that nobody waits for is cancelled."""

import asyncio
import threading
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request

from lossboard.kinds.cancellation import Cancelled, TooMuchWork, check_cancelled, run_cancellable
from lossboard.server.request_threads import RequestThreads, while_connected

TIMEOUT_SECS = 60


@pytest.fixture
def threads():
    started = RequestThreads(1, name="test")
    yield started
    started.stop()


class Work:
    """Works until it is cancelled. `ended` is set afterwards."""

    def __init__(self) -> None:
        self.started, self.ended = threading.Event(), threading.Event()

    def __call__(self) -> str:
        self.started.set()
        try:
            while not self.ended.wait(0.001):
                check_cancelled()
        except Cancelled:
            self.ended.set()
            raise
        return "released"


def request(messages: list[dict[str, Any]]) -> Request:
    """A request whose client sends these messages and then nothing."""

    async def receive() -> dict[str, Any]:
        if not messages:
            await asyncio.Event().wait()
        return messages.pop(0)

    return Request({"type": "http", "headers": [], "path": "/"}, receive)


def test_result_is_returned_while_the_client_is_connected(threads):
    assert asyncio.run(threads.run(request([{"type": "http.request"}]), lambda: 7)) == 7


def test_disconnect_cancels_the_work(threads):
    work = Work()

    async def send():
        with pytest.raises(ClientDisconnect):
            await threads.run(request([{"type": "http.request"}, {"type": "http.disconnect"}]), work)

    asyncio.run(send())
    assert work.ended.wait(TIMEOUT_SECS) or not work.started.is_set()


def test_work_continues_while_one_client_waits(threads):
    work = Work()

    async def send():
        computation = threads.start(work)
        leaving = asyncio.ensure_future(computation.wait())
        staying = asyncio.ensure_future(computation.wait())
        await asyncio.to_thread(work.started.wait, TIMEOUT_SECS)
        leaving.cancel()
        await asyncio.wait([leaving])
        assert not computation.is_cancelled
        work.ended.set()
        return await staying

    assert asyncio.run(send()) == "released"


def test_stop_cancels_running_and_waiting_work(threads):
    running, waiting = Work(), Work()

    async def send():
        first, second = threads.start(running), threads.start(waiting)
        await asyncio.to_thread(running.started.wait, TIMEOUT_SECS)
        threads.stop()
        with pytest.raises(Cancelled):
            await first.wait()
        with pytest.raises(asyncio.CancelledError):
            await second.wait()

    asyncio.run(send())
    assert running.ended.is_set() and not waiting.started.is_set()


def test_long_work_makes_short_work_wait_only_for_its_route():
    threads = RequestThreads(4, name="test")
    works = [Work() for _ in range(4)]

    async def send():
        long = [threads.start(work, route="/long") for work in works]
        assert await threads.start(lambda: "short", route="/short").wait() == "short"
        assert [work.started.is_set() for work in works] == [True, True, False, False], "half of the threads"
        for work in works:
            work.ended.set()
        return await asyncio.gather(*(one.wait() for one in long))

    assert asyncio.run(send()) == ["released"] * 4
    threads.stop()


def test_work_that_takes_too_much_cpu_time_is_ended():
    def compute():
        while True:
            check_cancelled()

    with pytest.raises(TooMuchWork, match="Select fewer runs"):
        run_cancellable(compute, threading.Event(), max_cpu_secs=0.01)
    check_cancelled()  # the limit was that of the work


def test_error_of_the_work_is_raised(threads):
    async def send():
        await while_connected(request([]), threads.start(lambda: 1 / 0).wait())

    with pytest.raises(ZeroDivisionError):
        asyncio.run(send())
