"""Over real sockets: clients that are slow, greedy or rude, and a stop that waits for nobody."""

import asyncio
import contextlib
import socket
import threading
import time

import pytest
from starlette.responses import Response, StreamingResponse

from lossboard.server.guard import MAX_BODY_BYTES, Guard, host_names
from lossboard.server.ports import listen
from lossboard.server.serve import UvicornServer

# The impatient server closes connections after this; the patient one outlasts a busy machine.
IDLE_SECS = 1
PATIENT_SECS = 600
# A client that waits longer than this found a server that hangs.
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
    server = UvicornServer(Guard(app, hosts=host_names("localhost")), on_exit=lambda: None, idle_secs=idle_secs)
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


def wait_until(condition):
    end = time.monotonic() + CLIENT_SECS
    while not condition():
        assert time.monotonic() < end, "still not so"
        time.sleep(0.01)


def test_an_ordinary_request(port):
    assert status(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 200


def test_the_server_does_not_say_what_it_is(port):
    with connect(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        assert b"\r\nserver:" not in read_all(connection).lower()


@pytest.mark.parametrize("half", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_request_that_is_never_finished_is_closed(impatient, half):
    port, _ = impatient
    with connect(port) as connection:
        connection.sendall(half)
        assert read_all(connection) == b"", "closed by the server; the test's own timeout would raise"


def test_a_request_that_dribbles_is_closed_too(impatient):
    port, _ = impatient
    with connect(port) as connection, pytest.raises(OSError):
        connection.sendall(b"GET / HTTP/1.1\r\n")
        end = time.monotonic() + CLIENT_SECS
        while time.monotonic() < end:
            connection.sendall(b"X-Drop: 1\r\n")
            time.sleep(0.05)


def test_an_answer_that_is_not_read_is_given_up(impatient):
    port, server = impatient
    with connect(port) as connection:
        connection.sendall(b"GET /huge HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(1)
        wait_until(lambda: not server.server_state.connections)
        assert len(read_all(connection)) < HUGE


def test_an_endless_answer_that_is_read_goes_on(impatient):
    port, _ = impatient
    with connect(port) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        deadline = time.monotonic() + 3 * IDLE_SECS
        while time.monotonic() < deadline:
            assert connection.recv(4096)


def test_others_are_served_meanwhile(port):
    with contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(connect(port)).sendall(b"GET / HT")
        assert status(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 200


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
def test_rude_requests(port, request_bytes, expected):
    assert status(port, request_bytes) == expected


def test_a_body_of_gigabytes_is_not_taken(port):
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nX-Lossboard: 1\r\nContent-Type: application/json\r\n"
    assert status(port, head + b"Content-Length: 2000000000\r\n\r\n" + b"x" * (2 * MAX_BODY_BYTES)) in (413, None)


def test_stopping_does_not_wait_for_open_pages():
    with running() as (port, server), connect(port) as connection:
        connection.sendall(b"GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(100)
        server.should_exit = True
        read_all(connection)
