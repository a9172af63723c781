"""`lossboard LOGDIR…`: starts the web UI. TensorBoard's flags have the same meaning."""

from __future__ import annotations

import argparse
import json
import logging
import secrets
import socket
import sys
import textwrap
import threading
import webbrowser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from lossboard import __version__
from lossboard.cli.parser import ShowVersion
from lossboard.errors import UsageError
from lossboard.server.ports import DEFAULT_PORT, listen

CONFIG = Path("configs", "tensorboard.json")

# TensorBoard's flags that have no effect. Most are needless, because Lossboard keeps every point and follows every
# file. `_ignored_settings` reports the others.
_IGNORED_FLAGS = (
    "load_fast",
    "samples_per_plugin",
    "max_reload_threads",
    "reload_task",
    "reload_multifile",
    "reload_multifile_inactive_secs",
    "purge_orphaned_data",
    "generic_data",
    "detect_file_replacement",
    "extra_data_server_flags",
    "grpc_creds_type",
    "grpc_data_provider",
    "db",
    "db_import",
)


class ShowFullHelp(argparse.Action):
    """Prints the help with TensorBoard's flags that have no effect."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help="print the help of all flags and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        parser.print_help()
        flags = ", ".join(f"--{name}" for name in (*_IGNORED_FLAGS, "verbosity", "tag"))
        print(textwrap.fill(f"Accepted for TensorBoard's sake, without effect: {flags}", 100, break_on_hyphens=False))
        parser.exit()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "logdirs", nargs="*", metavar="LOGDIR", help="directories, searched recursively, or event files"
    )
    parser.add_argument("--logdir", default="", help="same as LOGDIR; accepts a comma-separated list and globs")
    parser.add_argument("--logdir_spec", default="", metavar="NAME:PATH,…", help="several logdirs, each with a name")
    parser.add_argument("--host", default=None, help="address to bind (default: localhost; others require a token)")
    parser.add_argument("--bind_all", action="store_true", help="bind to all addresses of this machine")
    parser.add_argument("--port", default="default", help="port (default: 6006 or the next free one; 0 = any)")
    parser.add_argument("--path_prefix", default="", help="URL path to serve under, for a reverse proxy")
    parser.add_argument(
        "--allow_host",
        action="append",
        default=[],
        metavar="NAME",
        help="extra host name to accept in the Host header",
    )
    parser.add_argument("--window_title", default="", help="title of the browser window")
    parser.add_argument(
        "--reload_interval",
        type=float,
        default=1.0,
        metavar="SECS",
        help="seconds between logdir scans (default: 1; 0 = read once)",
    )
    parser.add_argument("--reuse_port", type=_parse_bool, nargs="?", const=True, default=False, help=argparse.SUPPRESS)
    parser.add_argument("--open", action="store_true", help="open the board in the browser")
    parser.add_argument("--inspect", action="store_true", help="print a summary of the event files and exit")
    parser.add_argument("--tag", default="", help=argparse.SUPPRESS)
    parser.add_argument("--event_file", default="", help="with --inspect: summarize this event file")
    parser.add_argument("--version", "--version_tb", action=ShowVersion)
    parser.add_argument("--helpfull", action=ShowFullHelp)
    parser.add_argument("-v", "--verbosity", nargs="?", type=int, help=argparse.SUPPRESS)
    for name in _IGNORED_FLAGS:
        parser.add_argument(f"--{name}", nargs="?", help=argparse.SUPPRESS)


def _parse_bool(text: str) -> bool:
    return text.lower() not in ("false", "0", "no")


@dataclass(frozen=True)
class Settings:
    """Settings from the flags and the configuration file."""

    logdirs: list[str]
    host: str
    port: int
    search: bool
    """Whether to use the next free port if this one is in use."""

    @classmethod
    def of(cls, options: argparse.Namespace) -> Settings:
        given = [*options.logdirs, *filter(None, (options.logdir, options.logdir_spec))]
        if options.event_file and not given:
            given = [options.event_file]
        config = _config(given)
        logdirs = given or [part for part in (config.get("runs_dir"),) if isinstance(part, str)]
        if not logdirs:
            raise UsageError("No logdir given. Pass the directory your training writes to, e.g. lossboard runs")
        if options.bind_all and options.host:
            raise UsageError("--host and --bind_all cannot be combined. Use one of them.")
        host = "0.0.0.0" if options.bind_all else options.host or "localhost"
        if options.reload_interval < 0:
            raise UsageError(f"Expected --reload_interval to be 0 or more seconds, got {options.reload_interval:g}.")
        if options.port == "default":
            port = config.get("port")
            return cls(logdirs, host, port if isinstance(port, int) else DEFAULT_PORT, search=True)
        if not options.port.isdigit() or int(options.port) > 65535:
            raise UsageError(f"Expected --port to be a number up to 65535, got {options.port!r}.")
        return cls(logdirs, host, int(options.port), search=False)


def _config(logdirs: list[str]) -> dict[str, Any]:
    """Returns `configs/tensorboard.json` of the working directory, or else of the parent of the first logdir."""
    parents = [Path(logdirs[0]).expanduser().parent] if logdirs else []
    for folder in [Path(), *parents]:
        path = folder / CONFIG
        if path.is_file():
            try:
                config = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise UsageError(f"{path} is not valid JSON: {error}") from error
            return config if isinstance(config, dict) else {}
    return {}


def run(options: argparse.Namespace) -> int:
    settings = Settings.of(options)
    for setting in _ignored_settings(options):
        print(f"lossboard: {setting}", file=sys.stderr)
    return _inspect(options, settings) if options.inspect else _serve(options, settings)


def _ignored_settings(options: argparse.Namespace) -> Iterator[str]:
    """Yields a sentence for each ignored flag with which TensorBoard would show something else."""
    if options.purge_orphaned_data is not None and not _parse_bool(options.purge_orphaned_data):
        yield (
            "--purge_orphaned_data=false has no effect. Charts hide points that a restart superseded; "
            "lossboard export --all-attempts includes them."
        )
    if options.tag:
        yield "--tag has no effect. The summary lists all tags."
    if options.db:
        yield "--db has no effect. Lossboard reads event files, not databases."


def _serve(options: argparse.Namespace, settings: Settings) -> int:
    # Imported here, so that invalid flags and --version do not wait for them.
    from lossboard.kinds import asset_kinds
    from lossboard.server.app import build_app
    from lossboard.server.board import BoardState
    from lossboard.server.guard import host_names, is_loopback
    from lossboard.server.serve import serve
    from lossboard.store.logdir import Logdir

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    prefix = _prefix(options.path_prefix)
    logdir = Logdir.parse(settings.logdirs, assets=asset_kinds())
    sockets = listen(settings.host, settings.port, search=settings.search, reuse_port=options.reuse_port)
    interval = options.reload_interval
    board = BoardState.create(logdir, title=options.window_title, interval_secs=interval or 1.0, follow=interval > 0)
    local = is_loopback(settings.host)
    token = "" if local else secrets.token_urlsafe(24)
    hosts = host_names(settings.host, options.allow_host)
    app = build_app(board, hosts=hosts, any_address=not local, token=token, prefix=prefix)

    for root in logdir.roots:
        if problem := root.problem():
            print(problem, "Waiting for runs to appear.")
    port = sockets[0].getsockname()[1]
    if settings.search and port != settings.port:
        print(f"Port {settings.port} is in use. Using port {port} instead.")
    link = f"http://{_url_host(settings.host)}:{port}{prefix}/" + (f"?token={token}" if token else "")
    print(f"Lossboard {__version__} at {link}  (press Ctrl-C to stop)", flush=True)
    if options.open:
        threading.Timer(0.3, webbrowser.open, [link]).start()
    serve(app, sockets, on_exit=board.follower.close_subscriptions)
    return 0


def _inspect(options: argparse.Namespace, settings: Settings) -> int:
    command = import_module("lossboard.cli.inspect")
    parser = argparse.ArgumentParser(prog="lossboard inspect")
    command.add_arguments(parser)
    status: int | None = command.run(parser.parse_args([",".join(settings.logdirs)]))
    return status or 0


def _prefix(given: str) -> str:
    path = given.strip("/")
    if any(part in ("", ".", "..") for part in path.split("/")) and path:
        raise UsageError(f"Expected --path_prefix to be a plain path, e.g. /board, got {given!r}.")
    return f"/{path}" if path else ""


def _url_host(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return socket.gethostname()
    return f"[{host}]" if ":" in host else host
