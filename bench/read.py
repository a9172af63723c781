"""Compares reading logdirs: Lossboard, a loop that only reads the bytes and checks the CRCs (bare_read.cpp),
TensorBoard's Rust data server, TensorBoard's Python loader.

Prints CPU seconds and peak memory. Each measurement is a process of its own, and the tools take turns. The minimum of
several tries counts, because other work on the machine only adds time. Lossboard checks every CRC and keeps every
point. The data server does neither (its flag --checksum makes it check). TensorBoard's Python loader reads a hundredth.

    python bench/read.py [--tries 5] [long many wide hist]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tensorboard_data_server
from make_logdirs import make

WANTED = {"long": 10, "many": 10, "wide": 10, "hist": 15}
WANTED_OF_BARE = {"long": 2.0, "many": 2.2, "wide": 2.5, "hist": 2.5}
ROOT = Path(__file__).parent.parent
SLOW_SCALE = 0.01
OUT = ROOT / ".cache" / "logdirs"
BARE_READ = ROOT / "build" / "bench" / "bare_read"

OURS = """
import resource, sys, time
begin = time.process_time()
from lossboard.store.logdir import Logdir
imported, rss = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
logdir = Logdir.parse(sys.argv[1])
logdir.poll()
loaded = time.process_time()
points = logdir.stats().points
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - rss
print(loaded - imported, loaded, rss + grown, grown * 1024 / points if points else 0)
"""

PYTHON_LOADER = """
import resource, sys, time
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
begin = time.process_time()
runs = EventMultiplexer()
runs.AddRunsFromDirectory(sys.argv[1])
runs.Reload()
print(time.process_time() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@dataclass(frozen=True)
class Cost:
    cpu_secs: float
    peak_mb: float
    process_secs: float = 0
    bytes_a_point: float = 0


def run_python(code: str, folder: Path) -> list[float]:
    out = subprocess.run([sys.executable, "-c", code, folder], check=True, capture_output=True, text=True).stdout
    return [float(word) for word in out.split()]


def ours(folder: Path) -> Cost:
    load, process, rss_kb, bytes_a_point = run_python(OURS, folder)
    return Cost(load, rss_kb / 1024, process, bytes_a_point)


def build_bare_read() -> None:
    BARE_READ.parent.mkdir(parents=True, exist_ok=True)
    sources = [ROOT / "bench" / "bare_read.cpp", ROOT / "native" / "crc32c.cpp"]
    subprocess.run(["c++", "-std=c++20", "-O3", f"-I{ROOT / 'native'}", *sources, "-o", BARE_READ], check=True)


def bare_read(folder: Path) -> Cost:
    out = subprocess.run([BARE_READ, folder], check=True, capture_output=True, text=True).stdout
    return Cost(float(out.split()[0]), 0)


def python_loader(folder: Path) -> Cost:
    load, rss_kb = run_python(PYTHON_LOADER, folder)
    return Cost(load, rss_kb / 1024)


def data_server(folder: Path, *flags: str) -> Cost:
    """Runs the data server until it reports that it has read everything."""
    with tempfile.TemporaryFile("w+") as log:
        command = [tensorboard_data_server.server_binary(), "--logdir", folder, "--port", "0", "--reload", "once", "-v"]
        server = subprocess.Popen([*command, *flags], stderr=log, stdout=subprocess.DEVNULL)
        try:
            while "Finished load cycle" not in read(log):
                time.sleep(0.05)
            stat = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
            ticks = int(stat[11]) + int(stat[12])
            status = Path(f"/proc/{server.pid}/status").read_text()
        finally:
            server.kill()
            server.wait()
    return Cost(ticks / 100, int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024)


def read(log) -> str:
    log.seek(0)
    return log.read()


def minimum(tries: int, *measures: Callable[[], Cost]) -> list[Cost]:
    taken = [[measure() for measure in measures] for _ in range(tries)]
    return [min(costs, key=lambda cost: cost.cpu_secs) for costs in zip(*taken, strict=True)]


def compare(shape: str, tries: int) -> None:
    folder, small = make(shape, OUT), make(shape, OUT, SLOW_SCALE)
    us, bare, server = minimum(tries, lambda: ours(folder), lambda: bare_read(folder), lambda: data_server(folder))
    us_small, loader = minimum(1, lambda: ours(small), lambda: python_loader(small))
    ratio = server.cpu_secs / us.cpu_secs
    print(
        f"{shape:5} {us.cpu_secs:7.3f} s {us.peak_mb:6.0f} MB {us.bytes_a_point:6.1f} B/point"
        f"   {us.cpu_secs / bare.cpu_secs:4.2f}× of a bare read (wanted {WANTED_OF_BARE[shape]}×)"
        f"   data server {server.cpu_secs:6.2f} s {server.peak_mb:6.0f} MB"
        f"   {ratio:5.1f}× less CPU (wanted {WANTED[shape]}×)"
        f"   Python loader, 1/100: {loader.cpu_secs / us_small.cpu_secs:6.0f}×   whole process {us.process_secs:.3f} s",
        flush=True,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", default=list(WANTED))
    parser.add_argument("--tries", type=int, default=5)
    options = parser.parse_args()
    build_bare_read()
    for shape in options.shapes:
        compare(shape, options.tries)
