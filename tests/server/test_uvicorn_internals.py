"""Contract with uvicorn: fails with the name of what a new release has changed."""

import socket
import threading
import time

import pytest
import uvicorn
from starlette.responses import Response

from lossboard.server.uvicorn_internals import HookedServer

CHANGED = f"uvicorn {uvicorn.__version__} differs; adapt lossboard/server/uvicorn_internals.py"
TIMEOUT_SECS = 60
HUGE_BYTES = 32 << 20


async def app(scope, receive, send):
    await Response(b"x" * HUGE_BYTES)(scope, receive, send)


class RunningServer:
    """A server in a thread. Connections may be used in the event loop only, so the hook does that."""

    def __init__(self):
        config = uvicorn.Config(app, http="h11", loop="asyncio", lifespan="off", log_config=None)
        self.server = HookedServer(config, on_exit=lambda: self.exits.append(1), on_second=self.on_second)
        self.exits = []
        self.abort = False
        self.seconds = 0
        self.waits = []
        listener = socket.create_server(("127.0.0.1", 0))
        self.port = listener.getsockname()[1]
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [listener]})
        self.thread.start()

    def on_second(self, connections):
        self.seconds += 1
        self.waits = [connection.waits_for() for connection in connections]
        if self.abort:
            for connection in connections:
                connection.abort()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_SECS)

    def wait_until(self, condition, what):
        end = time.monotonic() + TIMEOUT_SECS
        while not condition():
            assert time.monotonic() < end, f"{what}: {CHANGED}"
            time.sleep(0.01)

    def wait_for(self, *, response):
        """Waits until the server waits for a client to read a response, or to send a request. Returns the wait."""
        self.wait_until(lambda: [wait and wait.has_response for wait in self.waits] == [response], "waits_for")
        return self.waits[0]


@pytest.fixture
def running():
    running = RunningServer()
    yield running
    running.server.should_exit = True
    running.thread.join(TIMEOUT_SECS)
    assert not running.thread.is_alive(), f"should_exit: {CHANGED}"


def test_connection_waits_for_requests_and_for_a_client_that_reads(running):
    with running.connect() as client:
        first = running.wait_for(response=False)
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        unread = running.wait_for(response=True)
        left = HUGE_BYTES
        while left > HUGE_BYTES - (1 << 20):
            left -= len(client.recv(1 << 16))
        running.wait_until(lambda: running.waits not in ([], [unread]), "the wait changes when the client reads")
        while left > 0:
            left -= len(client.recv(1 << 20))
        assert running.wait_for(response=False) != first, CHANGED
    running.wait_until(lambda: not running.waits, "closed connections are removed")


def test_abort_closes_a_connection_that_has_unsent_bytes(running):
    with running.connect() as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        running.wait_for(response=True)
        running.abort = True
        running.wait_until(lambda: not running.waits, "aborted connections are removed")


def test_exit_hook_is_called_before_the_server_stops(running):
    running.wait_until(lambda: running.seconds, "on_tick is called")
    running.server.handle_exit(15, None)
    assert running.exits == [1] and running.server.should_exit, f"handle_exit: {CHANGED}"


def test_capture_signals_can_be_replaced():
    assert hasattr(uvicorn.Server, "capture_signals"), f"Server.capture_signals is missing: {CHANGED}"
