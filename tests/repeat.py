"""Repeats parts of the test suite in random order, optionally on a busy machine, to find tests that fail sometimes.

    python3 tests/repeat.py --times 5 [--load 6] [--part python|tf|ui|browser] [--only FILE_OR_NAME]

Prints each run, then how often each test failed and the slowest twenty. Fails if any test failed once. Each run is
reproduced by its seed, which is printed with it.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shlex
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from suite import PARTS, ROOT

REPORTS = ROOT / "build" / "repeat"
REPEATABLE = ("python", "tf", "ui", "browser")
SLOWEST = 20

# Ends with its parent, so that a killed repetition leaves no load behind.
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(10_000_000): pass"


@dataclass
class Tally:
    """Results of several runs of a part."""

    runs: int = 0
    red_runs: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    messages: dict[str, str] = field(default_factory=dict)
    secs: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """The longest time of each test."""


def main() -> int:
    options = parse_options()
    REPORTS.mkdir(parents=True, exist_ok=True)
    tallies = {}
    with busy_processes(options.load):
        for part in [options.part] if options.part else REPEATABLE:
            tallies[part] = repeat(part, times=options.times, only=options.only)
    for part, tally in tallies.items():
        print_tally(part, tally)
    return int(any(tally.red_runs for tally in tallies.values()))


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=5, help="how often to run each part (default: 5)")
    parser.add_argument("--load", type=int, default=0, help="busy processes beside the tests (default: 0)")
    parser.add_argument("--part", choices=REPEATABLE, help="only this part (default: all)")
    parser.add_argument("--only", help="only this test file, or tests with this in their name")
    return parser.parse_args()


@contextlib.contextmanager
def busy_processes(count: int) -> Iterator[None]:
    processes = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def repeat(part: str, *, times: int, only: str | None) -> Tally:
    tally = Tally()
    for i in range(1, times + 1):
        seed = random.randrange(1, 2**31)
        report = REPORTS / f"{part}-{i}.xml"
        report.unlink(missing_ok=True)
        log = report.with_suffix(".log")
        began = time.monotonic()
        status = run_once(part, runner_arguments(part, report=report, seed=seed, only=only), log)
        failed = take_report(tally, report, status)
        result = "green" if not failed else f"RED: {', '.join(failed)} (see {log.relative_to(ROOT)})"
        print(f"{part} {i}/{times}  seed {seed}  {time.monotonic() - began:.0f} s  {result}", flush=True)
    return tally


def run_once(part: str, arguments: list[str], log: Path) -> int:
    command = ["make", "--no-print-directory", PARTS[part].target, f"ARGS={shlex.join(arguments)}"]
    with log.open("w") as out:
        return subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, check=False).returncode


def runner_arguments(part: str, *, report: Path, seed: int, only: str | None) -> list[str]:
    if part in ("python", "tf"):
        arguments = ["--random-order", f"--random-order-seed={seed}", f"--junitxml={report}"]
        arguments += ["--hypothesis-profile=new", f"--hypothesis-seed={seed}"]
        if only:
            arguments += [only] if (ROOT / only.split("::")[0]).exists() else ["-k", only]
    else:
        arguments = ["--sequence.shuffle.tests", "--sequence.shuffle.files", f"--sequence.seed={seed}", "--retry=0"]
        arguments += ["--reporter=default", "--reporter=junit", f"--outputFile.junit={report}"]
        if only:
            arguments += [Path(only).name] if only.endswith(".test.ts") else ["-t", only]
    return arguments


def take_report(tally: Tally, report: Path, status: int) -> list[str]:
    """Adds a run's JUnit report to the tally and returns the names of the tests that failed."""
    tally.runs += 1
    failed = []
    for case in ElementTree.parse(report).iter("testcase") if report.exists() else ():
        name = f"{case.get('classname')} > {case.get('name')}"
        tally.secs[name] = max(tally.secs[name], float(case.get("time") or 0))
        problem = next((found for kind in ("failure", "error") if (found := case.find(kind)) is not None), None)
        if problem is not None:
            failed.append(name)
            tally.messages[name] = (problem.get("message") or problem.text or "").strip().split("\n")[0]
    if status and not failed:
        failed.append(f"the run itself (exit status {status})")
    tally.failures.update(failed)
    tally.red_runs += bool(failed)
    return failed


def print_tally(part: str, tally: Tally) -> None:
    print(f"\n{part}: {tally.runs - tally.red_runs} of {tally.runs} runs green, {len(tally.secs)} tests")
    for name, count in tally.failures.most_common():
        print(f"  failed {count} of {tally.runs}: {name}\n    {tally.messages.get(name, '')[:200]}")
    print("  slowest:")
    for name, secs in sorted(tally.secs.items(), key=lambda item: -item[1])[:SLOWEST]:
        print(f"  {secs:7.1f} s  {name}")


if __name__ == "__main__":
    sys.exit(main())
