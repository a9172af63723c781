"""Listening sockets: finds a free port, or names the process that uses it."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from lossboard.errors import UsageError

DEFAULT_PORT = 6006
_TRIES = 100
_LISTENING = "0A"


def listen(host: str, port: int, *, search: bool, reuse_port: bool = False) -> list[socket.socket]:
    """Returns sockets that listen on the port, or with `search` on the first free port from there."""
    for candidate in range(port, port + (_TRIES if search and port else 1)):
        try:
            return _listen(host, candidate, reuse_port=reuse_port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise UsageError(f"Cannot listen on {host}:{candidate}: {error.strerror or error}.") from error
    if search:
        raise UsageError(f"Ports {port} to {port + _TRIES - 1} are all in use. Set --port to a free port.")
    owner = port_owner(port)
    user = f" by {owner}" if owner else ""
    raise UsageError(
        f"Port {port} is in use{user}. Stop that process, or use --port {port + 1} or --port 0 (any free port)."
    )


def _listen(host: str, port: int, *, reuse_port: bool) -> list[socket.socket]:
    opened: list[socket.socket] = []
    try:
        for family, address in _addresses(host):
            # All addresses of a name use the port of the first one.
            port = opened[0].getsockname()[1] if opened else port
            opened.append(_open(family, address, port, reuse_port=reuse_port))
    except OSError:
        for listener in opened:
            listener.close()
        raise
    return opened


def _open(family: socket.AddressFamily, address: str, port: int, *, reuse_port: bool) -> socket.socket:
    return socket.create_server((address, port), family=family, backlog=256, reuse_port=reuse_port)


def _addresses(host: str) -> Iterator[tuple[socket.AddressFamily, str]]:
    """Yields the addresses of a host name. `localhost` has two, because a browser may try either first."""
    if host != "localhost":
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        yield family, host
        return
    yield socket.AF_INET, "127.0.0.1"
    if _has_ipv6_loopback():
        yield socket.AF_INET6, "::1"


def _has_ipv6_loopback() -> bool:
    if not socket.has_ipv6:
        return False
    with closing(socket.socket(socket.AF_INET6, socket.SOCK_STREAM)) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True


def port_owner(port: int) -> str:
    """Describes the process that listens on a port. Empty if unknown; only Linux has this information."""
    inodes = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    if not inodes:
        return ""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(_target(link) in inodes for link in (process / "fd").iterdir()):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
                return f"process {process.name} ({command[:80]})"
        except OSError:  # another user's process, or one that just ended
            continue
    return "a process of another user"


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except FileNotFoundError:  # closed since it was listed, like the descriptor of the listing itself
        return ""


def _listening_inodes(port: int) -> Iterator[str]:
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        if not table.is_file():
            continue
        for row in table.read_text().splitlines()[1:]:
            columns = row.split()
            if columns[3] == _LISTENING and int(columns[1].rpartition(":")[2], 16) == port:
                yield columns[9]
