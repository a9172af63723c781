"""Running the board: uvicorn with limits for slow and greedy clients, and a stop that leaves nothing hanging."""

from __future__ import annotations

import logging
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

_MAX_CONNECTIONS = 512
IDLE_SECS = 12
_MAX_INCOMPLETE_BYTES = 64 << 10
_STOP_SECS = 3


class SlowClientReaper:
    """Closes connections that keep us waiting: for a request that is never finished, for an answer never read."""

    def __init__(self, max_secs: float) -> None:
        self._max_secs = max_secs
        self._waiting: dict[Any, tuple[object, float]] = {}

    def look(self, connections: set[Any], now: float) -> None:
        waiting: dict[Any, tuple[object, float]] = {}
        for connection in list(connections):
            if (reason := _waits_for(connection)) is None:
                continue
            known, since = self._waiting.get(connection, (None, now))
            waiting[connection] = (reason, since if known == reason else now)
            if now - waiting[connection][1] > self._max_secs and connection.transport is not None:
                connection.transport.abort()
        self._waiting = waiting


def _waits_for(connection: Any) -> object | None:
    cycle = connection.cycle
    if cycle is None or cycle.response_complete:
        return "request", id(cycle)
    return ("reader", id(cycle)) if connection.flow.write_paused else None


class UvicornServer(uvicorn.Server):
    """A uvicorn server that ends with status 0 when it is told to, and looks after its connections."""

    def __init__(self, app: ASGIApp, *, on_exit: Callable[[], None], idle_secs: int = IDLE_SECS) -> None:
        super().__init__(_config(app, idle_secs))
        self._on_exit = on_exit
        self._patience = SlowClientReaper(idle_secs)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn raises the signal again after its shutdown; for a tool in a terminal Ctrl-C is the way to end it.
        # A signal that the shell told us to ignore (nohup, & in a script) stays ignored.
        in_main = threading.current_thread() is threading.main_thread()
        before = {
            one: signal.signal(one, self.handle_exit)
            for one in (signal.SIGINT, signal.SIGTERM)
            if in_main and signal.getsignal(one) is not signal.SIG_IGN
        }
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._on_exit()
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        if counter % 10 == 0:
            self._patience.look(self.server_state.connections, time.monotonic())
        return await super().on_tick(counter)


def serve(app: ASGIApp, sockets: list[socket.socket], *, on_exit: Callable[[], None]) -> None:
    """Serves until it is told to stop. `on_exit` ends what would keep connections open."""
    UvicornServer(app, on_exit=on_exit).run(sockets=sockets)


def _config(app: ASGIApp, idle_secs: int) -> uvicorn.Config:
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    return uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=_MAX_CONNECTIONS,
        timeout_keep_alive=idle_secs,
        timeout_graceful_shutdown=_STOP_SECS,
        h11_max_incomplete_event_size=_MAX_INCOMPLETE_BYTES,
    )
