"""Adapter for parts of uvicorn that are not public. No other module uses them.

`tests/server/test_uvicorn_internals.py` fails if a new release of uvicorn changes one of them.
"""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import uvicorn

_TICKS_PER_SEC = 10
_ACKED_BYTES_OFFSET = 120
"""Position of tcpi_bytes_acked in Linux's struct tcp_info."""


@dataclass(frozen=True)
class Wait:
    """What the server waits for. It differs from the Wait before if the client made progress since then."""

    has_response: bool
    """Whether the client must read a response. Otherwise it must send a request."""
    progress: tuple[int, ...]


@dataclass(frozen=True)
class Connection:
    """An open connection of a client."""

    protocol: Any

    def waits_for(self) -> Wait | None:
        """Returns what the server waits for, or None if it does not wait for the client."""
        if unsent_bytes := self.protocol.transport.get_write_buffer_size():
            return Wait(has_response=True, progress=(unsent_bytes, self._acked_bytes()))
        cycle = self.protocol.cycle
        return Wait(has_response=False, progress=(id(cycle),)) if cycle is None or cycle.response_complete else None

    def _acked_bytes(self) -> int:
        """Returns how many bytes the client has received, on Linux.

        The kernel buffers megabytes and takes new ones in large steps, so `unsent_bytes` alone stays the same for a
        minute if a client reads slowly.
        """
        if not hasattr(socket, "TCP_INFO"):
            return 0
        connection = self.protocol.transport.get_extra_info("socket")
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _ACKED_BYTES_OFFSET + 8)
        return int.from_bytes(info[_ACKED_BYTES_OFFSET:], sys.byteorder)

    def abort(self) -> None:
        self.protocol.transport.abort()


class HookedServer(uvicorn.Server):
    """A uvicorn server that exits with status 0 on a signal, and calls a function every second."""

    def __init__(
        self, config: uvicorn.Config, *, on_exit: Callable[[], None], on_second: Callable[[list[Connection]], None]
    ) -> None:
        super().__init__(config)
        self._on_exit = on_exit
        self._on_second = on_second

    @property
    def connections(self) -> list[Connection]:
        return [Connection(protocol) for protocol in self.server_state.connections]

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # uvicorn raises the signal again after its shutdown, but Ctrl-C is the normal way to stop a command.
        # A signal that the shell made us ignore (nohup, & in a script) stays ignored.
        in_main = threading.current_thread() is threading.main_thread()
        before = {
            number: signal.signal(number, self.handle_exit)
            for number in (signal.SIGINT, signal.SIGTERM)
            if in_main and signal.getsignal(number) is not signal.SIG_IGN
        }
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._on_exit()
        super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS_PER_SEC == 0:
            self._on_second(self.connections)
        return await super().on_tick(counter)
