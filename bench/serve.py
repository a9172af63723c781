"""Compares serving charts: Lossboard and TensorBoard with its Rust data server, on the same logdir.

It measures
- one tag of 50 runs × 1000 points in a chart of 340 pixels: CPU seconds of the server and bytes of the response,
- 50 clients that poll the same chart,
- the delay from a log call to an open page, with 50 growing runs,
- the time from the command line to the first runs and charts,
- in a real Chromium: the first charts, frame times while zooming, panning and hovering, histograms and images.
Requests differ, so that no response comes from the cache, except for the polling clients.

    python bench/serve.py [--tries 20]
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import numpy as np
import psutil

from lossboard import _core

HERE = Path(__file__).parent
TAG = "train/metric0"
CLIENTS = 50


def write_logdir(folder: Path, *, runs: int, tags: int, steps: int) -> None:
    random = np.random.default_rng(0)
    for run in range(runs):
        values = 2 + np.cumsum(random.normal(size=(steps, tags)) * 0.03, axis=0)
        (folder / f"run{run:04}").mkdir(parents=True)
        writer = _core.EventWriter(str(folder / f"run{run:04}"), "", float, int)
        for step in range(steps):
            writer.scalars({f"train/metric{tag}": float(values[step, tag]) for tag in range(tags)}, step, None)
        writer.close(True)


@dataclass
class Server:
    process: psutil.Process
    address: str

    def cpu_secs(self) -> float:
        family = [self.process, *self.process.children(recursive=True)]
        return sum(one.cpu_times().user + one.cpu_times().system for one in family)

    def request(self, path: str, body: bytes | None = None, **headers: str) -> bytes:
        request = Request(self.address + path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        with urlopen(request, timeout=120) as response:
            return response.read()


@contextlib.contextmanager
def running(*words: str) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", *words, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield Server(psutil.Process(process.pid), f"http://127.0.0.1:{port}/")
    finally:
        process.terminate()
        process.wait()


def wait_until(done: Callable[[], bool], secs: float = 120) -> None:
    deadline = time.monotonic() + secs
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, ValueError):
            if done():
                return
        time.sleep(0.02)
    raise TimeoutError("The server did not start.")


def ours(logdir: Path) -> contextlib.AbstractContextManager[Server]:
    return running("lossboard.cli.main", str(logdir))


def theirs(logdir: Path) -> contextlib.AbstractContextManager[Server]:
    return running("tensorboard.main", f"--logdir={logdir}", "--host=127.0.0.1", "--load_fast=true")


def loaded_ours(server: Server, runs: int) -> bool:
    board = json.loads(server.request("api/board"))
    return not board["loading"] and len(board["runs"]) == runs


def request_ours(server: Server, key: str = "0") -> bytes:
    return server.request("api/scalars/charts", chart_request(key), X_Lossboard="1", Content_Type="application/json")


def chart_request(key: str) -> bytes:
    chart = {"key": key, "tags": [TAG], "width": 340, "smoothing": {"method": "ema", "weight": 0.6}}
    return json.dumps({"charts": [chart]}).encode()


def request_theirs(server: Server, key: str = "0") -> bytes:
    form = urlencode({"requests": json.dumps([{"plugin": "scalars", "tag": TAG}])})
    return server.request("data/plugin/timeseries/timeSeries", form.encode())


def loaded_theirs(server: Server, runs: int) -> bool:
    (response,) = json.loads(request_theirs(server))
    return len(response.get("runToSeries", {})) == runs


def cost(server: Server, send: Callable[[Server, str], bytes], tries: int) -> tuple[float, int]:
    """Returns CPU seconds of the server and bytes of one response."""
    send(server, "warm")
    began = server.cpu_secs()
    for i in range(tries):
        size = len(send(server, str(i)))
    return (server.cpu_secs() - began) / tries, size


async def poll(address: str, request: bytes, secs: float) -> list[float]:
    """Returns the response times of one client on one connection."""
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 24)
    times, deadline = [], time.monotonic() + secs
    while (began := time.monotonic()) < deadline:
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 200 " in head.split(b"\r\n", 1)[0], head
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(int(length.split(b":")[1]))
        times.append(time.monotonic() - began)
    writer.close()
    return times


async def poll_together(address: str, request: bytes, secs: float) -> list[float]:
    clients = await asyncio.gather(*(poll(address, request, secs) for _ in range(CLIENTS)))
    return [one for times in clients for one in times]


def http_post(path: str, body: bytes, *headers: str) -> bytes:
    lines = [f"POST /{path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


async def delays(address: str, logdir: Path, runs: int, rounds: int) -> list[float]:
    """Returns the delays from a log call to the event of an open page, while all runs grow."""
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    reader, writer = await asyncio.open_connection(host, int(port), limit=1 << 24)
    writer.write(b"GET /api/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await reader.readuntil(b"retry: 1000\n\n")
    writers = [_core.EventWriter(str(logdir / f"live{run:03}"), "", float, int) for run in range(runs)]
    delays_secs: list[float] = []
    for step in range(rounds):
        logged = time.monotonic()
        for one in writers:
            one.scalar(TAG, 1.0, step, None)
        notified: set[str] = set()
        while len(notified) < runs:
            line = await asyncio.wait_for(reader.readline(), 20)
            if line.startswith(b"data: {") and b'"runs"' in line:
                new = set(json.loads(line[6:])["runs"]) - notified
                notified |= new
                delays_secs += [time.monotonic() - logged] * len(new)
        await asyncio.sleep(0.3)
    writer.close()
    return delays_secs


def report(name: str, value: str, wanted: str = "") -> None:
    print(f"{name:58} {value:>26}   {f'wanted {wanted}' if wanted else ''}".rstrip(), flush=True)


def compare_charts(logdir: Path, tries: int) -> None:
    with ours(logdir) as one, theirs(logdir) as other:
        wait_until(lambda: loaded_ours(one, 50))
        wait_until(lambda: loaded_theirs(other, 50))
        cpu, size = cost(one, request_ours, tries)
        their_cpu, their_size = cost(other, request_theirs, max(tries // 4, 3))
        report("one tag, 50 runs × 1000 points: server CPU", f"{cpu * 1e3:.1f} ms : {their_cpu * 1e3:.0f} ms")
        report("", f"{their_cpu / cpu:.0f}× less", "≥ 50×")
        report("bytes", f"{size / 1e3:.0f} KB : {their_size / 1e6:.2f} MB")
        report("", f"{their_size / size:.1f}× fewer", "≥ 20×")
        headers = ("X-Lossboard: 1", "Content-Type: application/json")
        times = asyncio.run(
            poll_together(one.address, http_post("api/scalars/charts", chart_request("p"), *headers), 5)
        )
        report(f"{CLIENTS} clients, the same chart", f"{len(times) / 5:.0f} responses/s", "≥ 200/s")
        report("", f"p99 {statistics.quantiles(times, n=100)[98]:.2f} s", "≤ 0.5 s")


def measure_live(logdir: Path) -> None:
    for run in range(50):
        (logdir / f"live{run:03}").mkdir()
    with ours(logdir) as one:
        wait_until(lambda: loaded_ours(one, 50))
        times = asyncio.run(delays(one.address, logdir, 50, 10))
    report(
        "50 live runs: from log call to the page's event", f"p95 {statistics.quantiles(times, n=20)[18]:.2f} s", "≤ 1 s"
    )


def measure_start(logdir: Path) -> None:
    began = time.monotonic()
    with ours(logdir) as one:
        wait_until(lambda: bool(one.request("api")))
        serving = time.monotonic() - began
        wait_until(lambda: loaded_ours(one, 1000))
        listed = time.monotonic() - began
        request_ours(one)
        report("1000 runs: from the command line to serving", f"{serving:.2f} s", "≤ 1.5 s")
        report("… to all runs", f"{listed:.2f} s")
        report("… to the first chart of all 1000", f"{time.monotonic() - began:.2f} s", "≤ 3 s")
        cpu, size = cost(one, request_ours, 10)
        report("a chart of 1000 runs: server CPU, bytes", f"{cpu * 1e3:.0f} ms, {size / 1e3:.0f} KB")


def in_chromium(script: str, *words: str) -> None:
    """Runs a measurement in a page. Needs Node, Chromium and the built UI."""
    if shutil.which("node") is None or not (HERE.parent / "ui" / "node_modules").is_dir():
        report(script, "skipped: run make ui first")
        return
    subprocess.run(["node", HERE / script, *words], check=True, timeout=300)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=20)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="lossboard-bench-"))
    try:
        write_logdir(folder / "fifty", runs=50, tags=20, steps=1000)
        write_logdir(folder / "thousand", runs=1000, tags=2, steps=500)
        compare_charts(folder / "fifty", options.tries)
        measure_live(folder / "fifty")
        measure_start(folder / "thousand")
        in_chromium("frames/first.mjs", str(folder / "thousand"))
        in_chromium("frames/frames.mjs")
        in_chromium("views/views.mjs")
        in_chromium("table/table.mjs")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
