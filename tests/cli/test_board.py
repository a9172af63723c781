"""`lossboard board`: starting the web UI in a process, settings, TensorBoard's flags."""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

from board_client import write_scalars
from lossboard.cli import board as command
from lossboard.errors import UsageError

# Anything that takes longer than this, even on a busy machine, hangs.
TIMEOUT_SECS = 120


def parse(*args: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(args)


class StartedBoard:
    """A board in its own process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []

    @property
    def link(self) -> str:
        while not (self.lines and " at http" in self.lines[-1]):
            line = self.process.stdout.readline()
            assert line, f"exited with {self.process.wait()}: {self.lines}"
            self.lines.append(line)
        return re.search(r"http://\S+", self.lines[-1])[0]

    def get(self, path: str) -> Any:
        with urlopen(self.link + path, timeout=TIMEOUT_SECS) as response:
            return json.load(response)

    def runs(self) -> list[str]:
        """Returns the labels of the runs after the logdir has been read."""
        end = time.monotonic() + TIMEOUT_SECS
        while (board := self.get("api/board"))["loading"]:
            assert time.monotonic() < end, "still loading"
            time.sleep(0.05)
        return [run["label"] for run in board["runs"]]


@contextlib.contextmanager
def started(*args: str, cwd: Path, ignoring: int | None = None) -> Iterator[StartedBoard]:
    process = subprocess.Popen(
        [sys.executable, "-m", "lossboard", *args],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=(lambda: signal.signal(ignoring, signal.SIG_IGN)) if ignoring else None,
    )
    try:
        yield StartedBoard(process)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("2026-02-10_012", "2026-02-10_013", "2026-02-11_001"):
        write_scalars(tmp_path / "runs" / name / "logs" / "tensorboard", {"loss": [1.0]})
    return tmp_path


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["runs"], ["2026-02-10_012", "2026-02-10_013", "2026-02-11_001"]),
        (["--logdir=runs/2026-02-10*"], ["2026-02-10_012", "2026-02-10_013"]),
        (["runs/2026-02-10_012", "runs/2026-02-11_001"], ["2026-02-10_012", "2026-02-11_001"]),
        (["--logdir=runs/2026-02-10_012/logs/tensorboard"], ["2026-02-10_012"]),
        (["--logdir_spec=old:runs/2026-02-10_012,new:runs/2026-02-11_001"], ["new", "old"]),
        (["not-there-yet"], []),
        (["serve", "--logdir=runs/2026-02-10*"], ["2026-02-10_012", "2026-02-10_013"]),
    ],
)
def test_board_shows_the_runs_of_the_given_logdirs(project, args, expected):
    with started(*args, "--port=0", cwd=project) as board:
        assert sorted(board.runs()) == expected


def test_logdir_that_cannot_be_listed_is_reported(project):
    (project / "loop").symlink_to("loop")
    with started("loop", "--port=0", cwd=project) as board:
        assert board.runs() == []
        assert board.lines[0].endswith("loop: Too many levels of symbolic links. Waiting for runs to appear.\n")


def test_missing_logdir_is_reported_and_awaited(project):
    with started("later", "--port=0", cwd=project) as board:
        assert board.runs() == []
        assert board.lines[0].endswith("later does not exist yet. Waiting for runs to appear.\n")
        write_scalars(project / "later" / "first", {"loss": [1.0]})
        end = time.monotonic() + TIMEOUT_SECS
        while not (runs := board.runs()) and time.monotonic() < end:
            time.sleep(0.05)
        assert runs == ["first"]


def test_open_starts_the_browser_with_the_link(project, monkeypatch):
    browser = project / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {project}/new && mv {project}/new {project}/opened\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    with started("runs", "--port=0", "--open", cwd=project) as board:
        link = board.link
        end = time.monotonic() + TIMEOUT_SECS
        while not (project / "opened").exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert (project / "opened").read_text() == f"{link}\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_board_with_status_0(project, number):
    with started("runs", "--port=0", cwd=project) as board:
        with urlopen(f"{board.link}api/live", timeout=TIMEOUT_SECS) as page:
            page.readline()
            board.process.send_signal(number)
            assert board.process.wait(timeout=TIMEOUT_SECS) == 0
        assert board.process.stdout.read() == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_ignored_signal_stays_ignored(project, number):
    """`lossboard runs &` in a script must not stop on Ctrl-C, and with `nohup` not with its terminal."""
    with started("runs", "--port=0", cwd=project, ignoring=number) as board:
        board.runs()
        board.process.send_signal(number)
        time.sleep(0.3)
        assert board.runs()
        board.process.terminate()
        assert board.process.wait(timeout=TIMEOUT_SECS) == 0


def error_status(address: str, cookie: str = "") -> int:
    """Returns the status of an error response, or 0 if the request succeeds."""
    try:
        with urlopen(Request(address, headers={"Cookie": cookie} if cookie else {}), timeout=TIMEOUT_SECS):
            return 0
    except HTTPError as error:
        with error:
            return error.code


@pytest.mark.parametrize("flag", ["--bind_all", "--host=0.0.0.0"])
def test_board_on_all_addresses_requires_its_token(project, flag):
    """The test connects through loopback only."""
    with started("runs", "--port=0", flag, cwd=project) as board:
        link = urlsplit(board.link)
        token = parse_qs(link.query)["token"][0]
        address = f"http://127.0.0.1:{link.port}/"
        assert error_status(f"{address}api/board") == 401
        assert error_status(f"{address}?token=guessed") == 401
        with urlopen(address, timeout=TIMEOUT_SECS) as page:  # contains no data
            assert b"<title>Lossboard</title>" in page.read()
        assert error_status(f"{address}api/board", cookie=f"lossboard_{link.port}={token}") == 0
        jar = CookieJar()
        with build_opener(HTTPCookieProcessor(jar)).open(f"{address}?token={token}", timeout=TIMEOUT_SECS) as page:
            assert page.url == address
        (cookie,) = jar
        assert cookie.has_nonstandard_attr("HttpOnly")
        assert error_status(f"{address}api/board", cookie=f"{cookie.name}={cookie.value}") == 0


def test_used_port_is_an_error_with_a_suggestion(project):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        with started("runs", f"--port={port}", cwd=project) as board:
            assert board.process.wait(timeout=TIMEOUT_SECS) == 1
            output = board.process.stdout.read()
            assert f"Port {port} is in use by process" in output
            assert f"--port {port + 1}" in output


def test_configuration_sets_defaults_and_a_used_port_is_skipped(project):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        (project / "configs").mkdir()
        (project / "configs" / "tensorboard.json").write_text(json.dumps({"runs_dir": "runs", "port": port}))
        with started(cwd=project) as board:
            assert len(board.runs()) == 3
            assert board.lines[0].startswith(f"Port {port} is in use. Using port ")


def test_inspect_flag_prints_a_summary(project, capsys):
    assert command.run(parse("--inspect", "--logdir", str(project / "runs"))) == 0
    assert "loss" in capsys.readouterr().out


def test_event_file_is_a_logdir(project, capsys):
    folder = project / "runs" / "2026-02-10_012" / "logs" / "tensorboard"
    (file,) = folder.iterdir()
    (folder / "other.tfevents").write_bytes(file.read_bytes().replace(b"loss", b"lost"))
    with started(str(file), "--port=0", cwd=project) as board:
        assert board.runs() == [file.name]
    assert command.run(parse("--inspect", "--event_file", str(file))) == 0
    assert "1 run, 1 series, 1 point" in capsys.readouterr().out


def test_ignored_flags_that_change_the_board_are_reported(project, capsys):
    runs = str(project / "runs")
    assert command.run(parse("--inspect", "--logdir", runs, "--purge_orphaned_data=false", "--tag=loss", "--db=x")) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" has no effect")[0] for line in lines] == [
        "lossboard: --purge_orphaned_data=false",
        "lossboard: --tag",
        "lossboard: --db",
    ]
    assert command.run(parse("--inspect", "--logdir", runs, "--purge_orphaned_data=true", "-v", "1")) == 0
    assert capsys.readouterr().err == ""


def test_full_help_lists_ignored_flags(capsys):
    with pytest.raises(SystemExit) as exit:
        parse("--helpfull")
    printed = capsys.readouterr().out
    assert (exit.value.code, "--purge_orphaned_data" in printed, "--logdir" in printed) == (0, True, True)


class TestSettings:
    def test_all_tensorboard_flags_are_accepted(self):
        flags = [
            "--logdir=x --host=localhost --port=6006 --path_prefix=/a --window_title=t --reload_interval=5",
            "--load_fast=auto --samples_per_plugin=scalars=500,images=20 --max_reload_threads=1 --reload_task=auto",
            "--reload_multifile=true --reload_multifile_inactive_secs=86400 --purge_orphaned_data=True",
            "--generic_data=auto --detect_file_replacement=false --extra_data_server_flags= --grpc_creds_type=local",
            "--grpc_data_provider= --db= --db_import --reuse_port=true --verbosity=1 --tag= --event_file=",
        ]
        assert parse(*" ".join(flags).split()).logdir == "x"

    def test_flags_override_the_configuration(self, project, monkeypatch):
        monkeypatch.chdir(project)
        (project / "configs").mkdir()
        (project / "configs" / "tensorboard.json").write_text('{"runs_dir": "elsewhere", "port": 7000}')
        settings = command.Settings.of(parse("runs", "--port=7100"))
        assert (settings.logdirs, settings.port, settings.search) == (["runs"], 7100, False)
        settings = command.Settings.of(parse("runs"))
        assert (settings.logdirs, settings.port, settings.search) == (["runs"], 7000, True)

    def test_configuration_next_to_the_logdir_is_read(self, project, tmp_path_factory, monkeypatch):
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        (project / "configs").mkdir()
        (project / "configs" / "tensorboard.json").write_text('{"port": 7000}')
        assert command.Settings.of(parse(str(project / "runs"))).port == 7000

    def test_default_port_is_6006_or_the_next_free_one(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        settings = command.Settings.of(parse("runs"))
        assert (settings.host, settings.port, settings.search) == ("localhost", 6006, True)

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            ([], "No logdir given"),
            (["runs", "--port=http"], "--port"),
            (["runs", "--port=70000"], "--port"),
            (["runs", "--host=box", "--bind_all"], "cannot be combined"),
            (["runs", "--reload_interval=-1"], "--reload_interval"),
        ],
    )
    def test_invalid_settings_raise_usage_errors(self, tmp_path, monkeypatch, args, message):
        monkeypatch.chdir(tmp_path)
        with pytest.raises(UsageError, match=message):
            command.Settings.of(parse(*args))

    def test_invalid_configuration_file_is_named(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "configs").mkdir()
        (tmp_path / "configs" / "tensorboard.json").write_text("{")
        with pytest.raises(UsageError, match="is not valid JSON"):
            command.Settings.of(parse("runs"))

    @pytest.mark.parametrize(("given", "prefix"), [("", ""), ("/", ""), ("a", "/a"), ("/a/b/", "/a/b")])
    def test_prefix_has_one_leading_slash(self, given, prefix):
        assert command._prefix(given) == prefix

    @pytest.mark.parametrize("given", ["a/../b", "a//b", "/./"])
    def test_prefix_with_empty_or_relative_parts_raises(self, given):
        with pytest.raises(UsageError, match="path_prefix"):
            command._prefix(given)
