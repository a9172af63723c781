import os
import socket

import pytest

from lossboard.errors import UsageError
from lossboard.server.ports import listen, port_owner


@pytest.fixture
def taken():
    with socket.create_server(("127.0.0.1", 0)) as holder:
        yield holder.getsockname()[1]


def close(sockets):
    for one in sockets:
        one.close()


def test_any_free_port():
    sockets = listen("localhost", 0, search=False)
    ports = {one.getsockname()[1] for one in sockets}
    assert len(ports) == 1
    close(sockets)


def test_the_next_free_one(taken):
    sockets = listen("127.0.0.1", taken, search=True)
    assert taken < sockets[0].getsockname()[1] < taken + 100
    close(sockets)


def test_a_taken_port_names_its_holder(taken):
    with pytest.raises(UsageError, match=rf"Port {taken} is taken by process {os.getpid()} .*--port {taken + 1}"):
        listen("127.0.0.1", taken, search=False)


def test_the_holder_is_found_past_a_descriptor_that_is_gone():
    gap = os.open(os.devnull, os.O_RDONLY)
    (held,) = listen("127.0.0.1", 0, search=False)
    os.close(gap)  # the listing of the descriptors takes this number, below the socket's, and is then gone
    assert str(os.getpid()) in port_owner(held.getsockname()[1])
    close([held])


def test_nobody_holds_a_free_port():
    (free,) = listen("127.0.0.1", 0, search=False)
    port = free.getsockname()[1]
    free.close()
    assert port_owner(port) == ""


def test_an_address_of_another_machine():
    with pytest.raises(UsageError, match=r"Cannot listen on 192\.0\.2\.1"):
        listen("192.0.2.1", 0, search=True)
