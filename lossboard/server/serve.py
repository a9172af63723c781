"""Runs the board with uvicorn, with limits for slow and greedy clients."""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable

import uvicorn
from starlette.types import ASGIApp

from lossboard.server.uvicorn_internals import Connection, HookedServer, Wait

_MAX_CONNECTIONS = 512
_MAX_INCOMPLETE_BYTES = 64 << 10
_IDLE_SECS = 12
_UNREAD_FACTOR = 5
"""How many times longer a client may stop reading a response. A full receive buffer reopens in steps of hundreds of kB,
which a slow link takes many seconds to read."""
_STOP_SECS = 1
"""How long open requests may go on after a signal."""
_EXIT_SECS = 2.5
"""Time from a signal to the end of the process, whatever its threads do."""


class SlowClientReaper:
    """Closes connections of clients that do not finish a request, or stop reading a response."""

    def __init__(self, max_secs: float) -> None:
        self._max_secs = max_secs
        self._waiting: dict[Connection, tuple[Wait, float]] = {}
        """The reason and the start of each wait."""

    def check(self, connections: Iterable[Connection], now: float) -> None:
        waiting: dict[Connection, tuple[Wait, float]] = {}
        for connection in connections:
            if (wait := connection.waits_for()) is None:
                continue
            known, since = self._waiting.get(connection, (None, now))
            waiting[connection] = (wait, since if known == wait else now)
            max_secs = self._max_secs * (_UNREAD_FACTOR if wait.has_response else 1)
            if now - waiting[connection][1] > max_secs:
                connection.abort()
        self._waiting = waiting


def build_server(app: ASGIApp, *, on_exit: Callable[[], None], idle_secs: int = _IDLE_SECS) -> HookedServer:
    reaper = SlowClientReaper(idle_secs)

    def check(connections: list[Connection]) -> None:
        reaper.check(connections, time.monotonic())

    return HookedServer(_config(app, idle_secs), on_exit=on_exit, on_second=check)


def serve(app: ASGIApp, sockets: list[socket.socket], *, on_exit: Callable[[], None]) -> None:
    """Serves until SIGINT or SIGTERM, and then ends the process.

    `on_exit` must end all streams, because they keep connections open.
    """

    def exit_soon() -> None:
        timer = threading.Timer(_EXIT_SECS, _end_process)
        timer.daemon = True
        timer.start()
        on_exit()

    build_server(app, on_exit=exit_soon).run(sockets=sockets)
    _end_process()


def _end_process() -> None:
    # Python would wait for threads that still compute, and crash if one of them is in the core when it finalizes.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


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
