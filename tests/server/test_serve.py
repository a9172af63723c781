"""Server with real sockets: slow, greedy and malformed clients, and stopping."""

import asyncio
import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest
from starlette.responses import Response, StreamingResponse

from lossboard.server.guard import MAX_BODY_BYTES, Guard, host_names
from lossboard.server.ports import listen
from lossboard.server.serve import SlowClientReaper, build_server
from lossboard.server.uvicorn_internals import Wait

# The impatient server closes idle connections soon, the patient one not even on a busy machine.
IDLE_SECS = 1
PATIENT_SECS = 600
# If a client waits longer than this, the server hangs.
CLIENT_SECS = 60
HUGE = 32 << 20


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
    if scope["path"] == "/huge":
        await Response(b"x" * HUGE)(scope, receive, send)
    elif scope["path"] == "/endless":
        await StreamingResponse(_endless())(scope, receive, send)
    else:
        await Response(b"hello")(scope, receive, send)


async def _endless():
    while True:
        yield b":\n\n"
        await asyncio.sleep(0.05)


@contextlib.contextmanager
def running(idle_secs=PATIENT_SECS):
    (listener,) = listen("127.0.0.1", 0, search=False)
    server = build_server(Guard(app, hosts=host_names("localhost")), on_exit=lambda: None, idle_secs=idle_secs)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield listener.getsockname()[1], server
    finally:
        server.should_exit = True
        thread.join(timeout=CLIENT_SECS)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def port():
    with running() as (port, _):
        yield port


@pytest.fixture
def impatient():
    """The port of a server that closes idle connections soon, and the server."""
    with running(IDLE_SECS) as started:
        yield started


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=CLIENT_SECS)


def read_all(connection):
    received = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := connection.recv(65536):
            received += chunk
    return received


def status(port, request):
    with connect(port) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request)
        first = read_all(connection).split(b"\r\n", 1)[0]
        return int(first.split()[1]) if first else None


def wait_until(condition, what):
    end = time.monotonic() + CLIENT_SECS
    while not condition():
        assert time.monotonic() < end, f"not within {CLIENT_SECS} s: {what}"
        time.sleep(0.01)


def test_valid_request_returns_200(port):
    assert status(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 200


def test_response_has_no_server_header(port):
    with connect(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b"\r\nserver:" not in read_all(connection).lower()


@pytest.mark.parametrize("half", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_unfinished_request_is_closed(impatient, half):
    port, _ = impatient
    with connect(port) as connection:
        connection.sendall(half)
        assert read_all(connection) == b"", "closed by the server; the test's own timeout would raise"


def test_request_that_never_ends_is_closed(impatient):
    port, _ = impatient
    with connect(port) as connection, pytest.raises(OSError):
        connection.sendall(b"GET / HTTP/1.1\r\n")
        end = time.monotonic() + CLIENT_SECS
        while time.monotonic() < end:
            connection.sendall(b"X-Drop: 1\r\n")
            time.sleep(0.05)


def test_unread_response_is_closed(impatient):
    port, server = impatient
    with connect(port) as connection:
        connection.sendall(b"GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1)
        wait_until(lambda: not server.connections, "the connection is closed")
        assert len(read_all(connection)) < HUGE


def test_endless_response_continues_while_it_is_read(impatient):
    port, _ = impatient
    with connect(port) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        deadline = time.monotonic() + 3 * IDLE_SECS
        while time.monotonic() < deadline:
            assert connection.recv(4096)


def test_unfinished_requests_do_not_block_others(port):
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(connect(port)).sendall(b"GET / HT")
        assert status(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 200


class ScriptedConnection:
    """A connection whose wait the test sets."""

    def __init__(self):
        self.wait = Wait(has_response=False, progress=(1,))
        self.is_aborted = False

    def waits_for(self):
        return self.wait

    def abort(self):
        self.is_aborted = True


def test_reaper_keeps_a_client_that_reads_a_long_response_slowly():
    connection, reaper = ScriptedConnection(), SlowClientReaper(max_secs=12)
    for second in range(60):
        connection.wait = Wait(has_response=True, progress=(1000 - second // 20, 0))
        reaper.check([connection], now=float(second))
    assert not connection.is_aborted
    for second in range(60, 140):
        reaper.check([connection], now=float(second))
    assert connection.is_aborted


def test_reaper_keeps_a_client_whose_response_takes_long_to_compute():
    connection, reaper = ScriptedConnection(), SlowClientReaper(max_secs=12)
    connection.wait = None
    for second in range(60):
        reaper.check([connection], now=float(second))
    assert not connection.is_aborted


@pytest.mark.parametrize(
    ("request_bytes", "expected"),
    [
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
        (b"GET / HTTP/1.0\r\n\r\n", 403),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200),
        (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000 + b"\r\n\r\n", 400),
        (b"DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ],
)
def test_malformed_request_returns_an_error(port, request_bytes, expected):
    assert status(port, request_bytes) == expected


def test_body_of_gigabytes_is_rejected(port):
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Lossboard: 1\r\nContent-Type: application/json\r\n"
    assert status(port, head + b"Content-Length: 2000000000\r\n\r\n" + b"x" * (2 * MAX_BODY_BYTES)) in (413, None)


BUSY_SERVER = """
import sys, threading, time
from lossboard.server.ports import listen
from lossboard.server.request_threads import RequestThreads
from lossboard.server.serve import serve

threads = RequestThreads(1, name="busy")

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            message = await receive()
            if message["type"] == "lifespan.shutdown":
                threads.stop()
            await send({"type": f"{message['type']}.complete"})
    print("busy", flush=True)
    await threads.start(lambda: time.sleep(3600)).wait()

sockets = listen("127.0.0.1", 0, search=False)
print(sockets[0].getsockname()[1], flush=True)
serve(app, sockets, on_exit=lambda: None)
"""


def test_signal_ends_the_process_although_a_thread_is_busy():
    with subprocess.Popen([sys.executable, "-c", BUSY_SERVER], stdout=subprocess.PIPE, text=True) as process:
        try:
            with connect(int(process.stdout.readline())) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert process.stdout.readline() == "busy\n"
                process.send_signal(signal.SIGTERM)
                assert process.wait(CLIENT_SECS) == 0
        finally:
            process.kill()


def test_stopping_does_not_wait_for_open_pages():
    with running() as (port, server), connect(port) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(100)
        server.should_exit = True
        read_all(connection)
