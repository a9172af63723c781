"""Threads that compute responses. A computation whose client disconnects is cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from starlette.requests import ClientDisconnect, Request

from lossboard.kinds.cancellation import run_cancellable

T = TypeVar("T")


class Computation(Generic[T]):
    """A function that runs, or will run, in a thread. Use only from the event loop."""

    def __init__(self, future: asyncio.Future[T], cancelled: threading.Event) -> None:
        self.future = future
        self._cancelled = cancelled
        self._waiting = 0

    async def wait(self) -> T:
        """Returns the result. If all clients that wait for it are cancelled, so is the computation."""
        self._waiting += 1
        try:
            return await asyncio.shield(self.future)
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.cancel()

    @property
    def is_cancelled(self) -> bool:
        return self._cancelled.is_set()

    def cancel(self) -> None:
        if not self.future.done():
            self._cancelled.set()
            self.future.add_done_callback(lambda done: done.cancelled() or done.exception())  # nobody waits for it
            self.future.cancel()


class RequestThreads:
    """A fixed number of threads. `stop` ends them as soon as they check whether they are cancelled."""

    def __init__(self, number: int, *, name: str) -> None:
        self._threads = ThreadPoolExecutor(number, thread_name_prefix=name)
        self._running: set[threading.Event] = set()

    def start(self, compute: Callable[[], T]) -> Computation[T]:
        cancelled = threading.Event()
        self._running.add(cancelled)
        future = asyncio.get_running_loop().run_in_executor(self._threads, lambda: run_cancellable(compute, cancelled))
        future.add_done_callback(lambda _: self._running.discard(cancelled))
        return Computation(future, cancelled)

    async def run(self, request: Request, compute: Callable[[], T]) -> T:
        return await while_connected(request, self.start(compute).wait())

    def stop(self) -> None:
        for cancelled in list(self._running):
            cancelled.set()
        self._threads.shutdown(wait=False, cancel_futures=True)


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Returns the result of `work`. Cancels it and raises ClientDisconnect if the client disconnects before."""
    result = asyncio.ensure_future(work)
    disconnected = asyncio.ensure_future(_wait_for_disconnect(request))
    try:
        await asyncio.wait((result, disconnected), return_when=asyncio.FIRST_COMPLETED)
        if not result.done():
            raise ClientDisconnect
        return result.result()
    finally:
        result.cancel()
        disconnected.cancel()


async def _wait_for_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
