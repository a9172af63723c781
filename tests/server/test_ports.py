"""Ports: free ones, ones in use, and the process that uses them."""

import os
import socket

import pytest

from lossboard.errors import UsageError
from lossboard.server.ports import listen, port_owner


@pytest.fixture
def used_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def close(sockets):
    for listener in sockets:
        listener.close()


def test_port_0_selects_one_free_port_for_all_addresses():
    sockets = listen("localhost", 0, search=False)
    ports = {listener.getsockname()[1] for listener in sockets}
    assert len(ports) == 1
    close(sockets)


def test_search_skips_a_used_port(used_port):
    sockets = listen("127.0.0.1", used_port, search=True)
    assert used_port < sockets[0].getsockname()[1] < used_port + 100
    close(sockets)


def test_used_port_raises_with_its_owner_and_a_free_port(used_port):
    expected = rf"Port {used_port} is in use by process {os.getpid()} .*--port {used_port + 1}"
    with pytest.raises(UsageError, match=expected):
        listen("127.0.0.1", used_port, search=False)


def test_port_owner_is_found_after_a_descriptor_that_was_closed():
    gap = os.open(os.devnull, os.O_RDONLY)
    (listener,) = listen("127.0.0.1", 0, search=False)
    os.close(gap)  # listing the descriptors uses this number, which is lower than the socket's
    assert str(os.getpid()) in port_owner(listener.getsockname()[1])
    close([listener])


def test_port_owner_of_a_free_port_is_empty():
    (listener,) = listen("127.0.0.1", 0, search=False)
    port = listener.getsockname()[1]
    listener.close()
    assert port_owner(port) == ""


def test_address_of_another_machine_raises():
    with pytest.raises(UsageError, match=r"Cannot listen on 192\.0\.2\.1"):
        listen("192.0.2.1", 0, search=True)
