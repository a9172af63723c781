"""Load test of a board: 200 listening pages, 50 polling clients and 50 live runs.

It prints the number of errors, the response times, the delay from a log call to an open page, and the memory and CPU
time of the server. On an idle machine the 99th percentile of the response times is at most 0.5 s, and the memory stays
the same after the first seconds.

    python bench/load.py [--secs 60]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from serve import Server, loaded_ours, ours, wait_until

from lossboard import SummaryWriter

PAGES = 200
CLIENTS = 50
RUNS = 50
POINTS_PER_SEC = 10
WARM_UP_SECS = 5
_HEADERS = {"Host": "localhost", "X-Lossboard": "1", "Content-Type": "application/json"}


@dataclass
class Load:
    """What the clients measured."""

    port: int
    end: float
    response_secs: list[float] = field(default_factory=list)
    delay_secs: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


class Runs(threading.Thread):
    """Runs that log a point several times a second."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._writers = [SummaryWriter(folder / f"run{i:02}", flush_secs=0.1) for i in range(RUNS)]
        self._stop_requested = threading.Event()

    def run(self) -> None:
        step = 0
        while not self._stop_requested.wait(1 / POINTS_PER_SEC):
            for writer in self._writers:
                writer.add_scalar("loss", np.exp(-step / 1000), step)
            step += 1
        for writer in self._writers:
            writer.close()

    def stop(self) -> None:
        self._stop_requested.set()
        self.join()


async def send(load: Load, path: str, body: object = None) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", load.port)
    content = b"" if body is None else json.dumps(body).encode()
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in _HEADERS.items()] + [f"Content-Length: {len(content)}", "", ""]
    writer.write("\r\n".join(lines).encode() + content)
    status = (await reader.readline()).split()
    if status[1:2] != [b"200"]:
        load.errors.append(f"{path}: {b' '.join(status).decode() or 'closed'}")
    return reader, writer


async def listen(load: Load) -> None:
    """An open page: reads events until the end."""
    reader, writer = await send(load, "/api/live")
    while time.time() < load.end:
        line = await reader.readline()
        if not line:
            load.errors.append("/api/live: closed")
            break
        if line.startswith(b"data:") and b'"last"' in line:
            runs = json.loads(line.removeprefix(b"data:"))["runs"].values()
            load.delay_secs.append(time.time() - max(run["last"] for run in runs))
    writer.close()


async def poll(load: Load, number: int) -> None:
    """A client that requests the board and a chart every second."""
    await asyncio.sleep(number / CLIENTS)
    while time.time() < load.end:
        chart = {"key": "0", "tags": ["loss"], "width": 300 + number, "smoothing": {"method": "ema", "weight": 0.6}}
        for path, body in (("/api/board", None), ("/api/scalars/charts", {"charts": [chart]})):
            started = time.perf_counter()
            reader, writer = await send(load, path, body)
            await reader.read()
            writer.close()
            load.response_secs.append(time.perf_counter() - started)
        await asyncio.sleep(1)


async def guarded(load: Load, client: Callable[[], Awaitable[None]]) -> None:
    try:
        await client()
    except OSError as error:
        load.errors.append(str(error))


async def measure(server: Server, secs: float) -> Load:
    load = Load(urlsplit(server.address).port or 0, time.time() + secs)
    clients = [guarded(load, lambda: listen(load)) for _ in range(PAGES)]
    clients += [guarded(load, lambda i=i: poll(load, i)) for i in range(CLIENTS)]
    await asyncio.gather(*clients)
    return load


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--secs", type=float, default=60)
    secs = parser.parse_args().secs
    with tempfile.TemporaryDirectory() as folder, ours(Path(folder)) as server:
        runs = Runs(Path(folder))
        runs.start()
        try:
            wait_until(lambda: loaded_ours(server, RUNS))
            asyncio.run(measure(server, WARM_UP_SECS))
            before, cpu_before = server.process.memory_info().rss, server.cpu_secs()
            load = asyncio.run(measure(server, secs))
            after, cpu_after = server.process.memory_info().rss, server.cpu_secs()
        finally:
            runs.stop()
    print(f"{PAGES} listening pages, {CLIENTS} polling clients, {RUNS} live runs for {secs:.0f} s")
    print(f"errors          {len(load.errors)}" + "".join(f"\n  {error}" for error in sorted(set(load.errors))))
    for name, values in (("response", load.response_secs), ("delay to a page", load.delay_secs)):
        middle, high = np.percentile(values, [50, 99])
        print(f"{name:15} p50 {middle:.3f} s, p99 {high:.3f} s, {len(values):,} times")
    print(f"memory          {before / 1e6:.0f} MB, {after / 1e6:.0f} MB at the end")
    print(f"CPU             {(cpu_after - cpu_before) / secs:.2f} cores")


if __name__ == "__main__":
    main()
