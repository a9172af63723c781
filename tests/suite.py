"""Runs the parts of the test suite and prints where the time went.

    python3 tests/suite.py [PART …]

Without arguments it runs every part. Each part is a target of the Makefile. A part whose system package is missing
and cannot be installed is skipped with a message; with CI set, that fails the run.

Uses only the standard library, because it starts before any environment exists.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Part:
    """A part of the suite: the make target that runs it, the one that sets it up, and the programs it needs."""

    target: str
    setup: str
    programs: tuple[str, ...] = ("c++",)


PARTS = {
    "check": Part("check", "native ui/node_modules/.stamp", ("c++", "npm")),
    "ui": Part("test-ui", "ui/node_modules/.stamp", ("npm",)),
    "python": Part("test-python", "native .cache/fashion-mnist"),
    "sanitize": Part("sanitize-fast", "native build/sanitize/address/_core.so"),
    "tf": Part("test-tf", "native .venv-tf/stamp"),
    "browser": Part("test-browser", "native ui", ("c++", "npm", "chromium")),
}
FAST = ("check", "ui", "python")

DEBIAN_PACKAGES = {"c++": "g++", "npm": "npm", "chromium": "chromium"}


@dataclass(frozen=True)
class Outcome:
    name: str
    result: str
    wall_secs: float = 0.0
    cpu_secs: float = 0.0


def main(names: Sequence[str]) -> int:
    if unknown := [name for name in names if name not in PARTS]:
        sys.exit(f"Unknown part {unknown[0]!r}. The parts are: {', '.join(PARTS)}.")
    names = names or tuple(PARTS)
    missing = {name: find_missing(PARTS[name].programs) for name in names}
    runnable = [name for name in names if not missing[name]]
    outcomes = [set_up(runnable)]
    for name in names if outcomes[0].result == "ok" else ():
        outcomes.append(Outcome(name, "skipped") if missing[name] else run_target(name, "-j2", PARTS[name].target))
    print_table(outcomes)
    for name in names:
        for program in missing[name]:
            print(f"Skipped {name}: {program} is missing. {how_to_install(program)}")
    failed = any(outcome.result == "FAILED" for outcome in outcomes)
    return int(failed or (len(runnable) < len(names) and "CI" in os.environ))


def set_up(names: Sequence[str]) -> Outcome:
    targets = dict.fromkeys(target for name in names for target in PARTS[name].setup.split())
    # Two at a time: one installs packages while the other compiles.
    return run_target("set-up", "-s", "-j2", *targets)


def run_target(name: str, *words: str) -> Outcome:
    """Runs `make` with these arguments and measures the time."""
    print(f"\n==> {name}", flush=True)
    began, cpu_before = time.monotonic(), _children_cpu_secs()
    status = subprocess.run(["make", "--no-print-directory", *words], cwd=ROOT, check=False).returncode
    result = "FAILED" if status else "ok"
    return Outcome(name, result, time.monotonic() - began, _children_cpu_secs() - cpu_before)


def _children_cpu_secs() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def find_missing(programs: Sequence[str]) -> list[str]:
    """Returns the programs that are neither there nor installable."""
    return [program for program in programs if not (_is_there(program) or _install(program))]


def _is_there(program: str) -> bool:
    command = os.environ.get("CHROMIUM", "/usr/bin/chromium") if program == "chromium" else program
    return shutil.which(command) is not None


def _install(program: str) -> bool:
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    package = DEBIAN_PACKAGES[program]
    print(f"Installing the Debian package {package} …", flush=True)
    quiet = {"stdout": subprocess.DEVNULL, "env": {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}}
    subprocess.run(["apt-get", "-qq", "update"], check=False, **quiet)
    subprocess.run(["apt-get", "-qq", "install", "-y", package], check=False, **quiet)
    return _is_there(program)


def how_to_install(program: str) -> str:
    advice = f"On Debian and Ubuntu: sudo apt-get install {DEBIAN_PACKAGES[program]}."
    if program == "chromium":
        advice += " Elsewhere, set CHROMIUM to the path of a Chromium or Chrome."
    return advice


def print_table(outcomes: Sequence[Outcome]) -> None:
    total = Outcome(
        "total",
        "FAILED" if any(outcome.result == "FAILED" for outcome in outcomes) else "ok",
        sum(outcome.wall_secs for outcome in outcomes),
        sum(outcome.cpu_secs for outcome in outcomes),
    )
    print(f"\n{'part':10}{'result':10}{'time':>8}{'CPU':>8}")
    for row in (*outcomes, total):
        print(f"{row.name:10}{row.result:10}{_minutes(row.wall_secs):>8}{_minutes(row.cpu_secs):>8}")


def _minutes(secs: float) -> str:
    return f"{int(secs) // 60}:{int(secs) % 60:02}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
