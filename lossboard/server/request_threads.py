"""Threads that compute responses. A computation whose client disconnects is cancelled.

Short requests never wait for long ones: a computation that runs for longer than `_SHORT_SECS` gives its place to the
next one, and the computations of one route take at most half of the threads.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

from starlette.requests import ClientDisconnect, Request

from lossboard.kinds.cancellation import run_cancellable

T = TypeVar("T")

_SHORT_SECS = 0.2


class Computation(Generic[T]):
    """A function that runs, or will run, in a thread. Use only from the event loop, except for `run`."""

    def __init__(self, compute: Callable[[], T], route: str) -> None:
        self.route = route
        self._ends_short_at = math.inf
        self._compute = compute
        self._result: Future[T] = Future()
        self.future = asyncio.wrap_future(self._result)
        self._cancelled = threading.Event()
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
            # Marks its error as read, because no request waits for it.
            self.future.add_done_callback(lambda done: done.cancelled() or done.exception())
            self.future.cancel()

    def stop(self) -> None:
        """Makes it raise Cancelled, for those who wait for it."""
        self._cancelled.set()

    @property
    def is_short(self) -> bool:
        """Whether it has not run for long yet."""
        return time.monotonic() < self._ends_short_at

    def run(self) -> None:
        self._ends_short_at = time.monotonic() + _SHORT_SECS
        if not self._result.set_running_or_notify_cancel():
            return
        try:
            self._result.set_result(run_cancellable(self._compute, self._cancelled))
        except BaseException as error:
            self._result.set_exception(error)


class RequestThreads:
    """A fixed number of threads. At most half of them run computations that started just now, or that belong to one
    route. `stop` ends them as soon as they check whether they are cancelled."""

    def __init__(self, number: int, *, name: str) -> None:
        self._number = number
        self._half = max(number // 2, 1)
        self._threads = ThreadPoolExecutor(number, thread_name_prefix=name)
        self._lock = threading.Lock()
        self._waiting: deque[Computation[Any]] = deque()
        self._running: set[Computation[Any]] = set()

    def start(self, compute: Callable[[], T], *, route: str = "") -> Computation[T]:
        computation = Computation(compute, route)
        with self._lock:
            self._waiting.append(computation)
        self._retry(computation, asyncio.get_running_loop())
        return computation

    async def run(self, request: Request, compute: Callable[[], T]) -> T:
        return await while_connected(request, self.start(compute, route=request.url.path).wait())

    def stop(self) -> None:
        with self._lock:
            for computation in self._waiting:
                computation.cancel()
            self._waiting.clear()
            for computation in self._running:
                computation.stop()
        self._threads.shutdown(wait=False)

    def _start_waiting(self) -> None:
        while (computation := self._next()) is not None:
            self._waiting.remove(computation)
            self._running.add(computation)
            self._threads.submit(self._run, computation)

    def _next(self) -> Computation[Any] | None:
        """Returns the first computation that may run now."""
        short = sum(one.is_short for one in self._running)
        if not self._waiting or len(self._running) >= self._number or short >= self._half:
            return None
        by_route = Counter(one.route for one in self._running)
        return next((one for one in self._waiting if by_route[one.route] < self._half), None)

    def _run(self, computation: Computation[Any]) -> None:
        try:
            computation.run()
        finally:
            with self._lock:
                self._running.remove(computation)
                self._start_waiting()

    def _retry(self, computation: Computation[Any], loop: asyncio.AbstractEventLoop) -> None:
        """Starts what may run by now, until the computation runs: others may have become long."""
        with self._lock:
            self._start_waiting()
            is_waiting = computation in self._waiting
        if is_waiting:
            loop.call_later(_SHORT_SECS / 2, self._retry, computation, loop)


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
